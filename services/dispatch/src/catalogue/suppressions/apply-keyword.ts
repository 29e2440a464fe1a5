import { type MessageReceived, messageReceived, SuppressionChannel } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
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
  const recipient = {
    tenant_id,
    channel: SuppressionChannel.parse(message.channel),
    recipient_index: secrets.blindIndex(tenant_id, from),
    recipient_masked: rules.mask(from),
  }
  if (meaning === 'stop')
    await suppress(db.run, [{ ...recipient, reason: 'stop', reported_at: received_at, occurred_at }])
  else await lift(db.run, { ...recipient, occurred_at })
  log.info({ provider_message_id, keyword: meaning }, 'keyword received')
}
