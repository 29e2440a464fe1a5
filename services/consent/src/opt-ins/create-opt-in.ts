import { consentAuditRecorded, type createOptIn as contract, isEvidenceUrl } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { maskPhone } from '@notify/privacy'
import { fieldProblem, type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { recordChange } from '../ledger/record-change.ts'
import { modeOf } from './caller-mode.ts'
import { requirePhone } from './read-phone.ts'

const evidenceFault = 'must be an https address with a host name, without credentials or white space'

/** Records an opt-in. */
export const createOptIn: Handler<Context, typeof contract> = idempotent({
  prepare: async (_context, { body }) => requirePhone(body.phone_e164),
  async effect(context, request, run) {
    const { body, principal } = request
    const { phone_e164: phone, source, reference = null } = body
    const evidence_url = isEvidenceUrl(body.evidence_url ?? '') ? body.evidence_url! : null
    const recorded = await recordChange(context, run, {
      tenantId: principal.tenant_id,
      mode: modeOf(principal),
      details: { phone, reference, evidence_url },
      origin: null,
      at: null,
      what: { action: 'opt_in', source },
    })
    const isInvalid = evidence_url !== (body.evidence_url ?? null)
    if (recorded.kind !== 'recorded') throw recipientStopped(source, isInvalid)
    if (isInvalid) throw fieldProblem('validation_failed', 'evidence_url', evidenceFault)
    const { id, recorded_at } = recorded.entry
    // An application's own opt-ins are in the ledger; an operator's are also in the audit log.
    if (principal.kind === 'operator') {
      const after = { phone_masked: maskPhone(phone), source, has_evidence: evidence_url !== null }
      const change = { request, action: 'opt_in.recorded', resourceId: id, before: null, after }
      await recordAudit(run, consentAuditRecorded, change)
    }
    const optIn = { id, phone_e164: phone, source, reference, evidence_url, status: 'active', recorded_at }
    return new Reply(201, JSON.stringify(optIn))
  },
  after({ metrics, wakeOutbox }, { body }) {
    metrics.changed('opt_in', body.source)
    wakeOutbox()
  },
})

function recipientStopped(source: string, isInvalid: boolean): Problem {
  const [path, message] =
    source === 'import'
      ? ['source', 'must be a fresh opt-in of the recipient, not an import']
      : [
          'evidence_url',
          isInvalid ? evidenceFault : 'must show an opt-in since the recipient stopped, one that was not given before',
        ]
  return new Problem(
    'whatsapp_recipient_stopped',
    `The recipient has stopped messages by WhatsApp: ${path} ${message}`,
    {
      errors: [{ path, message }],
    },
  )
}
