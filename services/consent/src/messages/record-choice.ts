import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { spellingsOf } from '@notify/privacy'
import type { Context } from '../context.ts'
import { findConsent } from '../ledger/ledger-store.ts'
import { type Recorded, recordChange } from '../ledger/record-change.ts'
import type { WaitingChange } from '../users/user-store.ts'

/** Records what a recipient chose, under each spelling of the number in the ledger; under the reported one if there is none. */
export async function recordChoice(
  context: Context,
  run: Run,
  { tenantId, phone }: { tenantId: Id<'ten'>; phone: string },
  { origin, occurred_at: at, ...what }: WaitingChange,
): Promise<Recorded> {
  const known = await knownSpellings(context, run, tenantId, phone)
  const results: Recorded[] = []
  for (const spelling of known.length > 0 ? known : [phone]) {
    const details = { phone: spelling, reference: null, evidence_url: null }
    results.push(await recordChange(context, run, { tenantId, mode: 'live', details, origin, at, what }))
  }
  return results.find(({ kind }) => kind === 'recorded') ?? results[0]!
}

/** Sorted, so that changes of the same line lock its consents in one order. */
async function knownSpellings({ secrets }: Context, run: Run, tenantId: Id<'ten'>, phone: string): Promise<string[]> {
  const [given, ...others] = spellingsOf(phone)
  if (others.length === 0) return [given]
  const known: string[] = []
  for (const spelling of [given, ...others].sort()) {
    const recipientIndex = secrets.blindIndex(tenantId, spelling)
    if (await findConsent(run, { tenantId, mode: 'live', recipientIndex })) known.push(spelling)
  }
  return known
}
