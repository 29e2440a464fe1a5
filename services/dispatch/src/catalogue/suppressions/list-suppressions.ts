import { type listSuppressions as contract, indexOfToken, type Suppression, withPlus } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import { recipientTag } from '@notify/privacy'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { listSuppressionRows, type SuppressionRow } from './suppression-store.ts'

/** The tenant's suppressions. Recipients are looked up by blind index. */
export const listSuppressions: Handler<Context, typeof contract> = async ({ db, secrets }, request) => {
  const { tenant_id: tenantId } = request.principal
  const { channel, reason, recipient, recipient_token: token } = request.query
  const recipientIndex = token ? indexOfToken(token) : recipient && secrets.blindIndex(tenantId, withPlus(recipient))
  const { items, next_cursor } = await page(request, orderById('sup'), (after, limit) =>
    listSuppressionRows(db.run, { tenantId, channel, reason, recipientIndex }, { after, limit }),
  )
  return { items: items.map(suppressionOf), next_cursor }
}

/** A suppression as returned to operators. */
export function suppressionOf(row: SuppressionRow): Suppression {
  return {
    suppression_id: row.id,
    channel: row.channel,
    recipient_masked: row.recipient_masked,
    recipient_tag: recipientTag(row.recipient_index),
    reason: row.reason,
    source_notification_id: row.source_notification_id,
    created_at: row.created_at.toISOString(),
  }
}
