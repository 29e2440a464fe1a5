import { anyOf, type Queries } from '@notify/database'
import { build } from '../db/schema.ts'

/** Ids read at a time. */
const pageSize = 2000

/** A page of the carriers' message ids, each once. */
export async function readCallbackIds(db: Queries, after: string): Promise<string[]> {
  const rows = await db.runLong(
    build
      .selectFrom('received_callbacks')
      .select('provider_message_id')
      .distinct()
      .where('provider_message_id', '>', after)
      .orderBy('provider_message_id')
      .limit(pageSize),
  )
  return rows.map(({ provider_message_id }) => provider_message_id)
}

/** A carrier that repeats such a callback is recorded again; its effects are idempotent. */
export async function deleteCallbacks(db: Queries, ids: readonly string[]): Promise<void> {
  await db.runLong(build.deleteFrom('received_callbacks').where('provider_message_id', '=', anyOf(ids)))
}
