import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { spellingsOf } from '@notify/privacy'
import type { Context } from '../context.ts'
import { type Recorded, recordChange } from '../ledger/record-change.ts'
import type { WaitingChange } from '../users/user-store.ts'

/** Records what a recipient chose under each spelling of the number, so that an import of another one revives nothing. */
export async function recordChoice(
  context: Context,
  run: Run,
  { tenantId, phone }: { tenantId: Id<'ten'>; phone: string },
  { origin, occurred_at: at, ...what }: WaitingChange,
): Promise<Recorded> {
  const results: Recorded[] = []
  // Sorted, so that changes of the same line lock its consents in one order.
  for (const spelling of spellingsOf(phone).toSorted()) {
    const details = { phone: spelling, reference: null, evidence_url: null }
    results.push(await recordChange(context, run, { tenantId, mode: 'live', details, origin, at, what }))
  }
  return results.find(({ kind }) => kind === 'recorded') ?? results[0]!
}
