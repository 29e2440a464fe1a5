import { type ContactIdentified, channelContracts, contactIdentified } from '@notify/contracts'
import { openEvent } from '@notify/messaging'
import type { Context } from '../context.ts'
import { recordChoice } from '../messages/record-choice.ts'
import { sealPhone } from './user-phone.ts'
import { lockUser, savePhone, takeWaiting } from './user-store.ts'

/** Stores the number of a user, and records the changes that waited for it. */
export async function identifyContact(context: Context, contact: ContactIdentified): Promise<void> {
  if (!channelContracts[contact.channel].needsConsent) return
  const { db, secrets, metrics, wakeOutbox } = context
  const { tenant_id: tenantId } = contact
  const { phone, user_id } = openEvent(secrets.keyRing, contactIdentified, contact)
  const user = { tenantId, userIndex: secrets.blindIndex(tenantId, user_id) }
  const waiting = await db.transaction(async (run) => {
    await lockUser(run, user)
    await savePhone(run, user, sealPhone(secrets.keyRing, user, phone))
    const changes = await takeWaiting(run, user)
    for (const change of changes) await recordChoice(context, run, { tenantId, phone }, change)
    return changes
  })
  for (const { action, source } of waiting) metrics.changed(action, source)
  if (waiting.length > 0) wakeOutbox()
}
