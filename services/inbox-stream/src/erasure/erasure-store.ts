import { erasedText, type Queries } from '@notify/database'

const batch = 500

/** The applications of a tenant, each with the inboxes of its users. */
export async function applicationsOf(db: Queries, tenantId: string): Promise<string[]> {
  const rows = await db.runLong<{ id: string }>(
    `select distinct application_id as id from inboxes where tenant_id = $1 order by 1`,
    [tenantId],
  )
  return rows.map(({ id }) => id)
}

export async function countInboxes(db: Queries, keys: readonly string[]): Promise<number> {
  const [row] = await db.runLong<{ count: number }>(
    'select count(*)::int as count from inboxes where key = any($1::text[])',
    [keys],
  )
  return row!.count
}

/** An item leaves an empty row, so that a repeated hand-off does not bring it back. @returns how many rows there were */
export async function eraseInboxes(db: Queries, keys: readonly string[]): Promise<number> {
  const items = await db.runLong(
    `update inbox_items set inbox_key = '${erasedText}', content = null, category_index = null, deleted_at = coalesce(deleted_at, now())
     where id = any(array(select id from inbox_items where inbox_key = any($1::text[]) limit ${batch})) returning 1`,
    [keys],
  )
  if (items.length > 0) return items.length
  const events = await db.runLong(
    `delete from inbox_events where inbox_key = any($1::text[])
       and (inbox_key, seq) in (select inbox_key, seq from inbox_events where inbox_key = any($1::text[]) limit ${batch}) returning 1`,
    [keys],
  )
  if (events.length > 0) return events.length
  await db.runLong('delete from waiting_items where inbox_key = any($1::text[])', [keys])
  await db.runLong('delete from open_streams where inbox_key = any($1::text[])', [keys])
  return (await db.runLong('delete from inboxes where key = any($1::text[]) returning 1', [keys])).length
}
