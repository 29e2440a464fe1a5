import { column, defineStatement, pick, type Queries } from '@notify/database'
import { tables } from '../db/schema.ts'

/** A replica that was not seen for this long does not count: three heartbeats. */
const deadAfterSeconds = 15

export interface StreamCount {
  inbox_key: string
  streams: number
}

const save = defineStatement({
  name: 'save-open-streams',
  text: `
    with mine as (
      select inbox_key, streams from json_to_recordset($2::json) as mine (inbox_key text, streams int)
    ), saved as (
      insert into open_streams (inbox_key, replica_id, streams) select inbox_key, $1, streams from mine where streams > 0
      on conflict (inbox_key, replica_id) do update set streams = excluded.streams
    ), closed as (
      delete from open_streams o using mine
      where mine.streams = 0 and o.inbox_key = mine.inbox_key and o.replica_id = $1
    )
    select o.inbox_key, sum(o.streams)::int as streams
    from mine join open_streams o on o.inbox_key = mine.inbox_key join stream_replicas r on r.id = o.replica_id
    where o.replica_id <> $1 and r.seen_at > now() - interval '${deadAfterSeconds} seconds'
    group by o.inbox_key`,
  columns: { ...pick(tables.open_streams, 'inbox_key'), streams: column.integer() },
})

/** Saves how many streams a replica holds. @returns how many the other replicas hold of the same inboxes, if any */
export function saveStreamCounts(
  { run }: Queries,
  replicaId: string,
  counts: readonly StreamCount[],
): Promise<StreamCount[]> {
  return run(save, [replicaId, JSON.stringify(counts)])
}
