import type { Receipt, SuppressionChannel } from '@notify/contracts'
import { column, defineStatement, erasedText, pick } from '@notify/database'
import type { Context } from '../../context.ts'
import { tables } from '../../db/schema.ts'
import { suppress } from './suppression-store.ts'

/** A receipt counts only for the tenant whose account signed it, and only for live messages. */
const findRecipient = defineStatement({
  name: 'find-recipient-of-receipt',
  text: `select n.tenant_id, n.channel, n.recipient_index, n.recipient_masked
         from notifications n join providers p on p.tenant_id = n.tenant_id
         where n.id = $1 and p.id = $2 and n.channel = $3 and n.mode = 'live'`,
  columns: {
    ...pick(tables.notifications, 'tenant_id', 'recipient_index', 'recipient_masked'),
    channel: column.text<SuppressionChannel>(),
  },
})

/** The same of a copy, whose recipient is another. An erasure deletes its row. */
const findCopy = defineStatement({
  name: 'find-copy-of-receipt',
  text: `select n.tenant_id, n.channel, coalesce(c.recipient_index, '${erasedText}') as recipient_index,
           coalesce(c.recipient_masked, '${erasedText}') as recipient_masked
         from notifications n join providers p on p.tenant_id = n.tenant_id
         left join copies c on c.notification_id = n.id and c.mark = $4
         where n.id = $1 and p.id = $2 and n.channel = $3 and n.mode = 'live'`,
  columns: {
    ...pick(tables.notifications, 'tenant_id', 'recipient_index', 'recipient_masked'),
    channel: column.text<SuppressionChannel>(),
  },
})

/** Suppresses the recipient when the receipt reports a permanent failure, complaint or opt-out. */
export async function suppressRecipient({ db, log }: Pick<Context, 'db' | 'log'>, receipt: Receipt): Promise<void> {
  const { suppress: reason, notification_id, provider_id, channel, received_at, copy } = receipt
  if (reason === undefined || notification_id === undefined) return
  const message = [notification_id, provider_id, channel]
  const [recipient] = await (copy ? db.run(findCopy, [...message, copy]) : db.run(findRecipient, message))
  if (!recipient) return
  // Nothing here knows the address any more.
  if (recipient.recipient_index === erasedText)
    return log.warn({ notification_id, reason }, 'not suppressed: the recipient was erased')
  await suppress(db.run, [{ ...recipient, reason, source_notification_id: notification_id, reported_at: received_at }])
  log.info({ notification_id, reason }, 'recipient suppressed')
}
