import type { Queries, Statement } from '@notify/database'

/** A replica that was not seen for this long does not count: three heartbeats. */
const deadAfterSeconds = 15
/** Its rows are deleted later: a process that was only frozen finds them again. */
const deleteAfterSeconds = 300

export interface StreamCount {
  inbox_key: string
  streams: number
}

const save: Statement = {
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
}

/** Saves how many streams a replica holds. @returns how many the other replicas hold of the same inboxes, if any */
export function saveStreamCounts(
  { run }: Queries,
  replicaId: string,
  counts: readonly StreamCount[],
): Promise<StreamCount[]> {
  return run<StreamCount>(save, [replicaId, JSON.stringify(counts)])
}

const beat: Statement = {
  name: 'beat-stream-replica',
  text: `
    with dead as (
      delete from stream_replicas where id <> $1 and seen_at < now() - interval '${deleteAfterSeconds} seconds'
      returning id
    ), closed as (
      delete from open_streams where replica_id in (select id from dead)
    ), known as (
      select id from stream_replicas where id = $1
    ), seen as (
      insert into stream_replicas (id) values ($1) on conflict (id) do update set seen_at = now()
    )
    select exists (select from known) as is_known`,
}

/** Renews a replica's counts. @returns false when its counts do not exist */
export async function beatReplica({ run }: Queries, replicaId: string): Promise<boolean> {
  const [row] = await run<{ is_known: boolean }>(beat, [replicaId])
  return row!.is_known
}

/** Deletes a replica that ends, and its counts. */
export async function deleteReplica({ run }: Queries, replicaId: string): Promise<void> {
  await run(
    `with closed as (delete from open_streams where replica_id = $1) delete from stream_replicas where id = $1`,
    [replicaId],
  )
}
