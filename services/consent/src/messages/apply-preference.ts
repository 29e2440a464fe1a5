import { channelContracts, type PreferenceChange, preferenceChanged } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import { recordSenderChange } from './record-sender-change.ts'

/** Records that a recipient stopped or resumed marketing; other messages are not affected. */
export async function applyPreference(context: Context, change: PreferenceChange): Promise<void> {
  if (!channelContracts[change.channel].needsConsent) return
  const { tenant_id: tenantId, provider_id, provider_message_id, occurred_at } = change
  const { from, user_id: userId, choice, source } = openEvent(context.secrets.keyRing, preferenceChanged, change)
  const { kind } = await recordSenderChange(
    context,
    { tenantId, from, userId },
    {
      origin: `${source} ${provider_message_id} ${choice}`,
      action: choice === 'stop' ? 'marketing_stop' : 'marketing_resume',
      source,
      occurred_at: occurred_at === undefined ? null : new Date(occurred_at),
    },
  )
  if (kind !== 'unknown' && kind !== 'waiting') return
  context.log.warn({ provider_id, kind }, 'a marketing choice came without a number')
}
