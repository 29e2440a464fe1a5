import type { Id, OpenDigest } from '@notify/contracts'
import { column, defineStatement, pick, type RowOf, type Run } from '@notify/database'
import { tables } from '../../db/schema.ts'
import { waits } from './due-store.ts'

const columns = {
  ...pick(tables.digests, 'id', 'event_key', 'mode', 'channel', 'lane', 'opened_at', 'closes_at'),
  recipient_masked: tables.notifications.recipient_masked,
  items: column.integer().present(),
}
type OpenRow = RowOf<typeof columns>

/** Digests whose items are gone are not listed. The ranges of ids are read by the index of the application in its order. */
const list = defineStatement({
  name: 'list-digests',
  text: `
    select d.id, d.event_key, d.mode, d.channel, d.lane, d.opened_at, d.closes_at, newest.recipient_masked,
      (select count(*)::int from notifications n where n.digest_id = d.id and ${waits('n')}) as items
    from digests d cross join lateral (
      select n.recipient_masked from notifications n where n.digest_id = d.id and ${waits('n')} order by n.id desc limit 1
    ) as newest
    where d.application_id = $1 and d.tenant_id = $2 and ($4::text is null or d.event_key = $4)
      and d.id between coalesce($3, '') and coalesce($3, 'z') and d.id < coalesce($5, 'z')
    order by d.id desc limit $6`,
  columns,
})

/** Whose digests, and which. */
export interface ListedDigests {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  id?: Id<'dig'> | undefined
  eventKey?: string | undefined
  after?: Id<'dig'> | undefined
  limit: number
}

/** Digests that are not sent yet, newest first. */
export function listOpenDigests(
  run: Run,
  { tenantId, applicationId, id = undefined, eventKey, after, limit }: ListedDigests,
): Promise<OpenRow[]> {
  return run(list, [applicationId, tenantId, id ?? null, eventKey ?? null, after ?? null, limit])
}

// An item that still joins it moves the close up to the latest time.
const close = defineStatement({
  name: 'close-digest-now',
  text: `update digests set closes_at = least(closes_at, date_trunc('milliseconds', now())), due_at = least(due_at, now()),
      latest_at = least(latest_at, date_trunc('milliseconds', now()))
    where id = $1 and application_id = $2 and tenant_id = $3 and is_open`,
})

/** It is due at once. One that a worker closes already stays as it is. */
export async function closeNow(run: Run, { tenantId, applicationId, id }: Omit<ListedDigests, 'limit'>): Promise<void> {
  await run(close, [id, applicationId, tenantId])
}

/** A digest as operators see it. */
export function describeDigest({ id, lane, opened_at, closes_at, ...row }: OpenRow): OpenDigest {
  const { event_key, mode, channel, recipient_masked, items } = row
  return {
    digest_id: id,
    ...{ event_key, mode, channel, priority: lane === 'bulk' ? 'bulk' : 'transactional', recipient_masked, items },
    opened_at: opened_at.toISOString(),
    closes_at: closes_at.toISOString(),
  }
}
