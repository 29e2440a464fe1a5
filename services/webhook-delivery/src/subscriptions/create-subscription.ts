import { type createWebhookSubscription as contract, type Id, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { fieldProblem, type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { urlAad } from '../db/aad.ts'
import { askForProvider, type Issued } from '../providers/ask-dispatch.ts'
import { saveProviderRow } from '../providers/provider-store.ts'
import { requireShared } from '../providers/require-shared.ts'
import { type Reservation, reserveProvider, takeReserved } from '../providers/reservation-store.ts'
import { auditSubscription } from './audit-subscription.ts'
import { describeSubscription } from './describe-subscription.ts'
import { actorOf, type Manager, requireDestination } from './scope.ts'
import { insertSubscription, publishSubscription, requireRoomForSubscription } from './subscription-store.ts'

/** Subscribes an address; without a provider it gets its own secret, which is shown only once. */
export const createSubscription: Handler<Context, typeof contract> = idempotent({
  async prepare(context, request) {
    const { body, principal } = request
    const owner = {
      tenant_id: principal.tenant_id,
      application_id: applicationOf(principal, body.application_id),
      subscription_id: newId('whsub'),
    }
    requireDestination(body.url, context.config.WEBHOOK_EGRESS_ALLOW)
    if (body.provider_id === undefined) {
      const issued = await issueProvider(context, request, { id: newId('prov'), ...owner })
      return { owner, providerId: issued.copy.id, issued }
    }
    await requireShared(context.db.run, body.provider_id, owner)
    return { owner, providerId: body.provider_id, issued: undefined }
  },
  async effect({ config, secrets: { keyRing } }, request, run, { owner, providerId, issued }) {
    const { body, principal } = request
    const { tenant_id: tenantId, application_id: applicationId, subscription_id: id } = owner
    await requireRoomForSubscription(run, { tenantId, applicationId }, config)
    if (issued) {
      if (!(await takeReserved(run, providerId))) throw tooSlow()
      await saveProviderRow(run, issued.copy)
    }
    const row = await insertSubscription(run, {
      id,
      tenantId,
      applicationId,
      providerId,
      url: keyRing.encrypt(body.url, urlAad(tenantId, id)),
      events: body.events,
      description: body.description,
    })
    await publishSubscription(run, row, actorOf(principal))
    const after = describeSubscription(keyRing, row)
    await auditSubscription(run, { request, action: 'webhook_subscription.created', before: null, after })
    return new Reply(201, JSON.stringify({ ...after, ...(issued ? { secret: issued.secret } : {}) }))
  },
  after({ log, wakeOutbox }, { requestId }) {
    wakeOutbox()
    log.info({ request_id: requestId }, 'webhook subscription created')
  },
})

/**
 * Has dispatch make the provider that signs for the subscription. If the process dies before the subscription is committed, the
 * reservation is abandoned, and dispatch deletes the provider.
 */
async function issueProvider(
  context: Context,
  request: Parameters<typeof askForProvider>[1],
  provider: Reservation,
): Promise<Issued> {
  await context.db.transaction(async (run) => {
    const owner = { tenantId: provider.tenant_id, applicationId: provider.application_id }
    await requireRoomForSubscription(run, owner, context.config)
    await reserveProvider(run, provider)
  })
  return askForProvider(context, request, provider)
}

const tooSlow = () =>
  new Problem('service_unavailable', 'The subscription took too long to create; try again', {
    headers: { 'Retry-After': '1' },
  })

/** @throws Problem `validation_failed` when it is missing, or not the key's own */
function applicationOf(principal: Manager, given: Id<'app'> | undefined): Id<'app'> {
  if (principal.kind === 'operator') {
    if (given === undefined) throw fieldProblem('validation_failed', 'application_id', 'is missing')
    return given
  }
  if (given !== undefined && given !== principal.application_id) {
    throw fieldProblem('validation_failed', 'application_id', 'names no application of this key')
  }
  return principal.application_id
}
