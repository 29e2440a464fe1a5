import type { Receipt } from '@notify/contracts'
import type { Run, Statement } from '@notify/database'
import type { Context } from '../../context.ts'
import { type NewSuppression, suppress } from './suppression-store.ts'

/** A receipt counts only for the tenant whose account signed it, and only for live messages. */
const findRecipient: Statement = {
  name: 'find-recipient-of-receipt',
  text: `select n.tenant_id, n.channel, n.recipient_index, n.recipient_masked
         from notifications n join providers p on p.tenant_id = n.tenant_id
         where n.id = $1 and p.id = $2 and n.channel = $3 and n.mode = 'live'`,
}

type Recipient = Pick<NewSuppression, 'tenant_id' | 'channel' | 'recipient_index' | 'recipient_masked'>

/** Suppresses the recipient when the receipt reports a permanent failure, complaint or opt-out. */
export async function suppressRecipient({ db, log }: Pick<Context, 'db' | 'log'>, receipt: Receipt): Promise<void> {
  const { suppress: reason, notification_id, received_at } = receipt
  if (reason === undefined || notification_id === undefined) return
  const recipient = await recipientOf(db.run, receipt)
  if (!recipient) return
  await suppress(db.run, [{ ...recipient, reason, source_notification_id: notification_id, reported_at: received_at }])
  log.info({ notification_id, reason }, 'recipient suppressed')
}

async function recipientOf(run: Run, receipt: Receipt): Promise<Recipient | undefined> {
  const { notification_id, provider_id, channel } = receipt
  const [found] = await run<Recipient>(findRecipient, [notification_id, provider_id, channel])
  return found
}
