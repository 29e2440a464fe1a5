import {
  type closeDigest as closeContract,
  dispatchAuditRecorded,
  type listDigests as listContract,
} from '@notify/contracts'
import { idempotent, orderById, page, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { closeNow, describeDigest, listOpenDigests } from './open-store.ts'

export const listDigests: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { params, principal, query } = request
  const owner = { tenantId: principal.tenant_id, applicationId: params.application_id, eventKey: query.event_key }
  const { items, next_cursor } = await page(request, orderById('dig'), (after, limit) =>
    listOpenDigests(db.run, { ...owner, after, limit }),
  )
  return { items: items.map(describeDigest), next_cursor }
}

/** Lets a digest close before its time. Its items are those that have joined until then. */
export const closeDigest: Handler<Context, typeof closeContract> = idempotent({
  async effect(_context, request, run) {
    const { params, principal } = request
    const wanted = { tenantId: principal.tenant_id, applicationId: params.application_id, id: params.digest_id }
    const [before] = await listOpenDigests(run, { ...wanted, limit: 1 })
    await closeNow(run, wanted)
    const [after] = await listOpenDigests(run, { ...wanted, limit: 1 })
    if (!before || !after) throw new Problem('not_found', 'The application has no open digest with this id')
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'digest.closed',
      resourceId: params.digest_id,
      applicationId: params.application_id,
      before: { closes_at: before.closes_at },
      after: { closes_at: after.closes_at },
    })
    return new Reply(200, JSON.stringify(describeDigest(after)))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})
