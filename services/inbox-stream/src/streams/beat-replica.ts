import { column, defineStatement, type Queries } from '@notify/database'

/** Its rows are deleted later: a process that was only frozen finds them again. */
const deleteAfterSeconds = 300

const beat = defineStatement({
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
  columns: { is_known: column.boolean() },
})

/** Renews a replica's counts. @returns false when its counts do not exist */
export async function beatReplica({ run }: Queries, replicaId: string): Promise<boolean> {
  const [row] = await run(beat, [replicaId])
  return row!.is_known
}
