import type { Receipt, SuppressionChannel } from '@notify/contracts'
import { column, defineStatement, pick } from '@notify/database'
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

/** The same of a copy, whose recipient is another. */
const findCopy = defineStatement({
  name: 'find-copy-of-receipt',
  text: `select n.tenant_id, n.channel, c.recipient_index, c.recipient_masked
         from notifications n join providers p on p.tenant_id = n.tenant_id join copies c on c.notification_id = n.id
         where n.id = $1 and p.id = $2 and n.channel = $3 and n.mode = 'live' and c.mark = $4`,
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
  await suppress(db.run, [{ ...recipient, reason, source_notification_id: notification_id, reported_at: received_at }])
  log.info({ notification_id, reason }, 'recipient suppressed')
}
