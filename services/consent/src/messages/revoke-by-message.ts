import { channelContracts, type MessageReceived, messageReceived } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import { clockToleranceMs } from '../ledger/next-consent.ts'
import { readStop } from './read-stop.ts'
import { recordSenderChange } from './record-sender-change.ts'

/** Revokes the consent of a recipient who wrote STOP. */
export async function revokeByMessage(context: Context, message: MessageReceived): Promise<void> {
  if (!channelContracts[message.channel].needsConsent) return
  const { tenant_id: tenantId, provider_id, provider_message_id } = message
  const content = openEvent(context.secrets.keyRing, messageReceived, message)
  const source = readStop(content)
  if (source === undefined) return
  const recorded = await recordSenderChange(
    context,
    { tenantId, from: content.from, userId: content.user_id },
    {
      origin: `message ${provider_message_id}`,
      action: 'opt_out',
      source,
      occurred_at: sentLongAgo(message),
    },
  )
  switch (recorded.kind) {
    case 'recorded': {
      const { id: entry_id, status } = recorded.entry
      const isRevoked = status === 'revoked'
      return context.log.info({ entry_id }, isRevoked ? 'consent revoked by a message' : 'a STOP older than the opt-in')
    }
    case 'waiting':
    case 'unknown':
      return context.log.warn({ provider_id, kind: recorded.kind }, 'a STOP came without a number')
  }
}

/** The carrier's time of a STOP that comes late. Any other was sent just now, even if Postgres' clock was ahead at the opt-in. */
function sentLongAgo({ occurred_at }: MessageReceived): Date | null {
  if (occurred_at === undefined) return null
  const sent = new Date(occurred_at)
  return Date.now() - sent.getTime() > clockToleranceMs ? sent : null
}
