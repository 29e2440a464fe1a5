import { type MessageReceived, messageReceived, SuppressionChannel } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import { spellingsOf } from '@notify/privacy'
import type { Context } from '../../context.ts'
import { readKeyword } from './read-keyword.ts'
import { lift, suppress } from './suppression-store.ts'

/**
 * Applies an inbound STOP or START, on channels with keywords. By the carrier's time the newest counts, in whatever order they
 * arrive. A STOP that arrives after an operator's lift counts as well.
 */
export async function applyKeyword(
  { channels, db, secrets, log }: Pick<Context, 'channels' | 'db' | 'secrets' | 'log'>,
  message: MessageReceived,
): Promise<void> {
  const { tenant_id, received_at, occurred_at = received_at, provider_message_id } = message
  const rules = channels[message.channel]?.suppression
  if (!rules?.hasKeywords) return
  const { from, body, opt_out_type } = openEvent(secrets.keyRing, messageReceived, message)
  const meaning = readKeyword(body, opt_out_type)
  // Short codes and alphanumeric senders cannot be recipients.
  if (meaning === undefined || rules.faultOf(from)) return
  const channel = SuppressionChannel.parse(message.channel)
  // A carrier may report another spelling of the number than the tenant sends to.
  const recipients = spellingsOf(from).map((phone) => ({
    tenant_id,
    channel,
    recipient_index: secrets.blindIndex(tenant_id, phone),
    recipient_masked: rules.mask(phone),
    occurred_at,
  }))
  if (meaning === 'stop')
    await suppress(
      db.run,
      recipients.map((one) => ({ ...one, reason: 'stop', reported_at: received_at })),
    )
  else for (const recipient of recipients) await lift(db.run, recipient)
  log.info({ provider_message_id, keyword: meaning }, 'keyword received')
}
