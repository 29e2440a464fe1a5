import { type PreferenceChange, preferenceChanged } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import { recordChange } from '../ledger/record-change.ts'
import { phoneOf } from './sender-phone.ts'

/** Records that a recipient does not want marketing, or wants it again; other messages are not touched. */
export async function applyPreference(context: Context, change: PreferenceChange): Promise<void> {
  if (change.channel !== 'whatsapp') return
  const { db, secrets, log, metrics } = context
  const { tenant_id: tenantId, provider_id, provider_message_id } = change
  const { from, choice, source } = openEvent(secrets.keyRing, preferenceChanged, change)
  const phone = phoneOf(from)
  if (phone === undefined) {
    log.warn({ provider_id, provider_message_id }, 'a choice of somebody whose number the carrier does not tell')
    return
  }
  const action = choice === 'stop' ? 'marketing_stop' : 'marketing_resume'
  const recorded = await db.transaction((run) =>
    recordChange(context, run, {
      tenantId,
      mode: 'live',
      details: { phone, reference: null, evidence_url: null },
      origin: `${source} ${provider_message_id} ${choice}`,
      what: { action, source },
    }),
  )
  if (recorded.kind === 'recorded') metrics.changed(action, source)
}
