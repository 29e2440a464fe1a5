import type { getOptIn as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeEntry } from '../ledger/entry-details.ts'
import { findConsent, listHistory } from '../ledger/ledger-store.ts'
import { modeOf } from './caller-mode.ts'
import { requirePhone } from './read-phone.ts'

/** The current consent of a number, and its history. */
export const getOptIn: Handler<Context, typeof contract> = async ({ db, secrets }, { params, principal }) => {
  const { phone_e164 } = params
  requirePhone(phone_e164)
  const { tenant_id: tenantId } = principal
  const subject = { tenantId, mode: modeOf(principal), recipientIndex: secrets.blindIndex(tenantId, phone_e164) }
  const consent = await findConsent(db.run, subject)
  if (!consent) throw new Problem('not_found', 'The ledger has no entry for this phone number')
  const history = await listHistory(db.run, subject)
  return {
    phone_e164,
    status: consent.status,
    marketing: consent.marketing_stopped ? 'stopped' : 'allowed',
    changed_at: consent.changed_at.toISOString(),
    history: history.map((row) => describeEntry(secrets.keyRing, row)),
  }
}
