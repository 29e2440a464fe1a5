import type { Id } from '@notify/contracts'
import { defineStatement, type Run } from '@notify/database'

/** The broadcasts stay due for a worker, which counts whom the page that the deletion interrupts has accepted. */
const hide = defineStatement({
  name: 'hide-list',
  text: `
    with hidden as (
      update lists set deleted_at = date_trunc('milliseconds', now()) where id = $1 and deleted_at is null
      returning id, tenant_id
    )
    update broadcasts b set status = 'cancelled', next_page_at = coalesce(next_page_at, now() + interval '1 minute'),
      updated_at = date_trunc('milliseconds', now()), finished_at = date_trunc('milliseconds', now())
    from hidden where b.tenant_id = hidden.tenant_id and b.list_id = hidden.id and b.status in ('running', 'paused')`,
})

/** Hides a list, and cancels the broadcasts to it. Its members are deleted later. */
export async function hideList(run: Run, id: Id<'list'>): Promise<void> {
  await run(hide, [id])
}
