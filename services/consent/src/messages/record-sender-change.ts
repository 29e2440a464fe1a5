import type { Id } from '@notify/contracts'
import type { Context } from '../context.ts'
import type { Recorded } from '../ledger/record-change.ts'
import { openPhone } from '../users/user-phone.ts'
import { addWaiting, lockUser, type WaitingChange } from '../users/user-store.ts'
import { recordChoice } from './record-choice.ts'
import { phoneOf } from './sender-phone.ts'

/** The sender of a change, as the carrier reported it. */
interface Sender {
  tenantId: Id<'ten'>
  /** Empty when the carrier does not report the number. */
  from: string
  userId: string | undefined
}

/** `waiting`: recorded as soon as the carrier reports the number. `unknown`: the carrier reported no sender. */
export type SenderChange = Recorded | { kind: 'waiting' } | { kind: 'unknown' }

/** Records a change that a user made by a message or in the carrier's app. Idempotent. */
export async function recordSenderChange(
  context: Context,
  { tenantId, from, userId }: Sender,
  change: WaitingChange,
): Promise<SenderChange> {
  const { db, secrets, metrics, wakeOutbox } = context
  const told = phoneOf(from)
  if (told === undefined && !userId) return { kind: 'unknown' }
  const result = await db.transaction(async (run): Promise<SenderChange> => {
    let phone = told
    if (phone === undefined) {
      const user = { tenantId, userIndex: secrets.blindIndex(tenantId, userId!) }
      const known = await lockUser(run, user)
      if (!known) return { kind: (await addWaiting(run, user, change)) ? 'waiting' : 'repeated' }
      phone = openPhone(secrets.keyRing, user, known)
    }
    return recordChoice(context, run, { tenantId, phone }, change)
  })
  if (result.kind === 'recorded') {
    wakeOutbox()
    metrics.changed(change.action, change.source)
  }
  return result
}
