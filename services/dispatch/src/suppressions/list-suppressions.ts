import { type listSuppressions as contract, idSchema, type Suppression } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { listSuppressionRows, type SuppressionRow } from './suppression-store.ts'

/** The tenant's suppressions; a recipient is looked up by blind index, since none is kept readable. */
export const listSuppressions: Handler<Context, typeof contract> = async ({ db, secrets }, { query, principal }) => {
  const { tenant_id: tenantId } = principal
  const { channel, reason, recipient, limit, cursor } = query
  const rows = await listSuppressionRows(
    db.run,
    {
      tenantId,
      channel,
      reason,
      recipientIndex: recipient === undefined ? undefined : secrets.blindIndex(tenantId, recipient),
    },
    { after: cursor === undefined ? undefined : readCursor(cursor), limit: limit + 1 },
  )
  const items = rows.slice(0, limit).map(suppressionOf)
  return { items, next_cursor: rows.length > limit ? (items.at(-1)?.suppression_id ?? null) : null }
}

/** A suppression as operators see it. */
export function suppressionOf(row: SuppressionRow): Suppression {
  return {
    suppression_id: row.id as `sup_${string}`,
    channel: row.channel,
    recipient_masked: row.recipient_masked,
    reason: row.reason,
    source_notification_id: row.source_notification_id as `notif_${string}` | null,
    created_at: row.created_at.toISOString(),
  }
}

/** The place in the list is the last identifier of the page before: identifiers ascend with time. */
function readCursor(cursor: string): string {
  const id = idSchema('sup').safeParse(cursor)
  if (id.success) return id.data
  throw new Problem('validation_failed', 'cursor is not one that this API gave', {
    errors: [{ path: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  })
}
