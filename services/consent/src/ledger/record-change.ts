import { type ConsentEntry, consentGranted, consentRevoked, type Id, newId, type OptInSource } from '@notify/contracts'
import { enqueueEvents, type Run } from '@notify/database'
import { maskPhone } from '@notify/privacy'
import type { Context } from '../context.ts'
import { appendEntry } from './append-entry.ts'
import { describeEntry, type EntryDetails, type EntryRow, sealDetails } from './entry-details.ts'
import { type ConsentRow, findEntries, lockConsent, type Subject } from './ledger-store.ts'
import { type Change, type Consent, nextConsent } from './next-consent.ts'

/** A change to record for a number. */
export interface Wanted {
  tenantId: Id<'ten'>
  mode: 'live' | 'test'
  details: EntryDetails
  /** Identifies the message that caused it, which is recorded once even if it arrives repeatedly. */
  origin: string | null
  /** When it was decided, by the carrier's clock. Null, or a time in the future, counts as now. */
  at: Date | null
  what:
    | { action: 'opt_in'; source: OptInSource }
    | { action: 'opt_out' | 'marketing_stop' | 'marketing_resume'; source: string }
}

/** The result. A caller must roll back after `refused`. */
export type Recorded = { kind: 'recorded'; entry: ConsentEntry } | { kind: 'repeated' } | { kind: 'refused' }

/**
 * Writes the entry, the current consent and the event. The row of the number stays locked until the commit, so entries are
 * numbered in the order in which they commit.
 */
export async function recordChange({ secrets }: Context, run: Run, wanted: Wanted): Promise<Recorded> {
  const { tenantId, mode, details, origin, what } = wanted
  const { keyRing, blindIndex } = secrets
  const subject: Subject = { tenantId, mode, recipientIndex: blindIndex(tenantId, details.phone) }
  const evidenceIndex = details.evidence_url === null ? null : blindIndex(tenantId, pageOf(details.evidence_url))
  const { now, ...current } = await lockConsent(run, subject)
  const { hasEvidence, hasOrigin } = await findEntries(run, subject, { evidenceIndex, origin })
  if (hasOrigin) return { kind: 'repeated' }
  const evidence = evidenceIndex === null ? 'none' : hasEvidence ? 'given before' : 'fresh'
  const at = wanted.at !== null && wanted.at < now ? wanted.at : now
  const change: Change = what.action === 'opt_in' ? { ...what, at, evidence } : { action: what.action, at }
  const next = nextConsent(consentOf(current), change)
  if (!next) return { kind: 'refused' }
  const id = newId('optin')
  const row = await appendEntry(run, subject, {
    id,
    sequence: current.sequence + 1,
    ...what,
    consent: next,
    evidence_index: evidenceIndex,
    origin,
    details: sealDetails(keyRing, details, tenantId, id),
    recorded_at: now,
  })
  await publish(run, row, details.phone)
  return { kind: 'recorded', entry: describeEntry(keyRing, row) }
}

const consentOf = (row: ConsentRow): Consent => ({
  status: row.status,
  marketingStopped: row.marketing_stopped,
  marketingChosenAt: row.marketing_chosen_at,
  agreedAt: row.agreed_at,
})

/** The page that evidence shows, however its address is spelled. */
function pageOf(url: string): string {
  const page = new URL(url)
  page.hash = ''
  return page.href
}

async function publish(run: Run, row: EntryRow, phone: string): Promise<void> {
  if (row.action !== 'opt_in' && row.action !== 'opt_out') return
  // A late STOP revoked nothing.
  if (row.action === 'opt_out' && row.status !== 'revoked') return
  const event = {
    entry_id: row.id,
    tenant_id: row.tenant_id,
    mode: row.mode,
    recipient_index: row.recipient_index,
    recipient_masked: maskPhone(phone),
    source: row.source,
    recorded_at: row.recorded_at.toISOString(),
  }
  await enqueueEvents(run, row.action === 'opt_in' ? consentGranted : consentRevoked, [{ event }])
}
