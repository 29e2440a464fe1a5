import type { Queries } from '@notify/database'

/** Ids read at a time. */
const pageSize = 2000

/** A page of the carriers' message ids, each once. */
export async function readCallbackIds(db: Queries, after: string): Promise<string[]> {
  const rows = await db.runLong<{ id: string }>(
    `select distinct provider_message_id as id from received_callbacks
     where provider_message_id > $1 order by provider_message_id limit ${pageSize}`,
    [after],
  )
  return rows.map(({ id }) => id)
}

/** A carrier that repeats such a callback is recorded again; its effects are idempotent. */
export async function deleteCallbacks(db: Queries, ids: readonly string[]): Promise<void> {
  await db.runLong('delete from received_callbacks where provider_message_id = any($1::text[])', [ids])
}
