import { defineStatement, type Run } from '@notify/database'
import type { NewItem } from './handed-item.ts'

/** `where false`: an existing row is locked, but not rewritten. */
const lock = defineStatement({
  name: 'lock-inboxes',
  text: `
    insert into inboxes (key, tenant_id, application_id, last_seq, pruned_seq, unread_count)
    select inbox_key, min(tenant_id), min(application_id), start.seq, start.seq, 0
    from json_to_recordset($1::json) as input (inbox_key text, tenant_id text, application_id text)
      cross join (select coalesce((select seq from inbox_start where one), 0) as seq) start
    group by inbox_key, start.seq order by inbox_key collate "C"
    on conflict (key) do update set last_seq = excluded.last_seq where false`,
})

/** Locks the inboxes of items until the commit, including new ones, so that later statements see all their items. */
export async function lockInboxes(run: Run, items: readonly NewItem[]): Promise<void> {
  const rows = items.map(({ inbox_key, tenant_id, application_id }) => ({ inbox_key, tenant_id, application_id }))
  await run(lock, [JSON.stringify(rows)])
}
