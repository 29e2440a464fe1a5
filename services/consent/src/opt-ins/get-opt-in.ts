import { type getOptIn as contract, indexOfToken } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeEntry } from '../ledger/entry-details.ts'
import { findConsent, listHistory } from '../ledger/ledger-store.ts'
import { modeOf } from './caller-mode.ts'
import { requirePhone } from './read-phone.ts'

/** The current consent of a number, and its history. */
export const getOptIn: Handler<Context, typeof contract> = async ({ db, secrets }, { params, principal }) => {
  const { phone_e164 } = params
  const { tenant_id: tenantId } = principal
  const indexOfTheToken = indexOfToken(phone_e164)
  if (indexOfTheToken === undefined) requirePhone(phone_e164)
  const recipientIndex = indexOfTheToken ?? secrets.blindIndex(tenantId, phone_e164)
  const subject = { tenantId, mode: modeOf(principal), recipientIndex }
  const consent = await findConsent(db.run, subject)
  if (!consent) throw new Problem('not_found', 'The ledger has no entry for this phone number')
  const history = await listHistory(db.run, subject)
  const entries = history.map((row) => describeEntry(secrets.keyRing, row))
  return {
    phone_e164: entries[0]?.phone_e164 ?? phone_e164,
    status: consent.status,
    marketing: consent.marketing_stopped ? 'stopped' : 'allowed',
    changed_at: consent.changed_at.toISOString(),
    history: entries,
  }
}
