import { consentAuditRecorded, type createOptOut as contract } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { maskPhone } from '@notify/privacy'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { recordChange } from '../ledger/record-change.ts'
import { modeOf } from './caller-mode.ts'
import { requirePhone } from './read-phone.ts'

/** Revokes the consent of a number, even if it has none. */
export const createOptOut: Handler<Context, typeof contract> = idempotent({
  prepare: async (_context, { body }) => requirePhone(body.phone_e164),
  async effect(context, request, run) {
    const { body, principal } = request
    const { phone_e164: phone, reference = null } = body
    const recorded = await recordChange(context, run, {
      tenantId: principal.tenant_id,
      mode: modeOf(principal),
      details: { phone, reference, evidence_url: null },
      origin: null,
      at: null,
      what: { action: 'opt_out', source: 'request' },
    })
    if (recorded.kind !== 'recorded') throw new Error(`an opt-out was ${recorded.kind}`)
    const { id, status, recorded_at } = recorded.entry
    if (status !== 'revoked') throw new Error(`after an opt-out the consent is ${status}`)
    // An application's own opt-outs are in the ledger; an operator's are also in the audit log.
    if (principal.kind === 'operator') {
      const after = { phone_masked: maskPhone(phone) }
      const change = { request, action: 'opt_in.revoked', resourceId: id, before: null, after }
      await recordAudit(run, consentAuditRecorded, change)
    }
    return new Reply(201, JSON.stringify({ id, phone_e164: phone, reference, status, recorded_at }))
  },
  after({ metrics, wakeOutbox }) {
    metrics.changed('opt_out', 'request')
    wakeOutbox()
  },
})
