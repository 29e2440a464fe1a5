import type { Id } from '@notify/contracts'
import { anyOf, cast, column, erasedText, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const batch = 500

/** The applications of a tenant; a user may have an inbox of each. */
export async function applicationsOf(db: Queries, tenantId: Id<'ten'>): Promise<Id<'app'>[]> {
  const rows = await db.runLong(build.selectFrom('applications').select('id').where('tenant_id', '=', tenantId))
  return rows.map(({ id }) => id)
}

export async function countInboxes(db: Queries, keys: readonly string[]): Promise<number> {
  const [row] = await db.runLong(
    build
      .selectFrom('inboxes')
      .select(cast(column.integer(), sql`count(*)`).as('count'))
      .where('key', '=', anyOf(keys)),
  )
  return row!.count
}

/** An item leaves an empty row, so that a repeated hand-off does not bring it back. @returns how many rows there were */
export async function eraseInboxes(db: Queries, keys: readonly string[]): Promise<number> {
  const theirs = build
    .selectFrom('inbox_items')
    .select('id')
    .where('inbox_key', '=', anyOf(keys))
    .where('deleted_at', 'is', null)
    .limit(batch)
  const items = await db.runLong(
    build
      .updateTable('inbox_items')
      .set({ inbox_key: erasedText, content: null, category_index: null, deleted_at: sql`now()` })
      .where('id', '=', sql<Id<'inapp'>>`any(array(${theirs}))`)
      .returning('id'),
  )
  if (items.length > 0) return items.length
  const theirEvents = build
    .selectFrom('inbox_events')
    .select(['inbox_key', 'seq'])
    .where('inbox_key', '=', anyOf(keys))
    .limit(batch)
  const events = await db.runLong(
    build
      .deleteFrom('inbox_events')
      .where('inbox_key', '=', anyOf(keys))
      .where(sql<boolean>`(inbox_key, seq) in (${theirEvents})`)
      .returning('seq'),
  )
  if (events.length > 0) return events.length
  await db.runLong(build.deleteFrom('waiting_items').where('inbox_key', '=', anyOf(keys)))
  await db.runLong(build.deleteFrom('open_streams').where('inbox_key', '=', anyOf(keys)))
  return (await db.runLong(build.deleteFrom('inboxes').where('key', '=', anyOf(keys)).returning('key'))).length
}
