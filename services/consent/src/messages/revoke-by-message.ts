import { type MessageReceived, messageReceived } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import { recordChange } from '../ledger/record-change.ts'
import { readStop } from './read-stop.ts'
import { phoneOf } from './sender-phone.ts'

/** Revokes the consent of a recipient who wrote STOP, once however often the message comes. */
export async function revokeByMessage(context: Context, message: MessageReceived): Promise<void> {
  if (message.channel !== 'whatsapp') return
  const { db, secrets, log, metrics, wakeOutbox } = context
  const { tenant_id: tenantId, provider_id, provider_message_id } = message
  const content = openEvent(secrets.keyRing, messageReceived, message)
  const source = readStop(content)
  if (source === undefined) return
  const phone = phoneOf(content.from)
  if (phone === undefined) {
    log.warn({ provider_id, provider_message_id }, 'a STOP of somebody whose number the carrier does not tell')
    return
  }
  const recorded = await db.transaction((run) =>
    recordChange(context, run, {
      tenantId,
      mode: 'live',
      details: { phone, reference: null, evidence_url: null },
      origin: `message ${provider_message_id}`,
      what: { action: 'opt_out', source },
    }),
  )
  if (recorded.kind !== 'recorded') return
  wakeOutbox()
  metrics.changed('opt_out', source)
  log.info({ provider_message_id, entry_id: recorded.entry.id }, 'consent revoked by a message')
}
