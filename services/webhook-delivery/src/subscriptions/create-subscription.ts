import { type createWebhookSubscription as contract, type Id, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { fieldProblem, type Handler, Reply } from '@notify/service-kit'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../context.ts'
import { urlAad } from '../db/places.ts'
import { findProvider, insertOwnProvider } from '../providers/provider-store.ts'
import { sealSecret } from '../providers/secret.ts'
import { tellOwnProvider } from '../providers/tell-own-provider.ts'
import { auditSubscription } from './audit-subscription.ts'
import { describeSubscription } from './describe-subscription.ts'
import { actorOf, type Manager, requireDestination } from './scope.ts'
import { insertSubscription, requireRoomForSubscription, tellSubscription } from './subscription-store.ts'

/** Subscribes an address; without a provider it gets a secret of its own, which is shown this once. */
export const createSubscription: Handler<Context, typeof contract> = idempotent({
  async prepare({ config, db }, { body, principal }) {
    const applicationId = applicationOf(principal, body.application_id)
    requireDestination(body.url, config.WEBHOOK_EGRESS_ALLOW)
    if (body.provider_id === undefined) return { applicationId, providerId: newId('prov'), secret: newWebhookSecret() }
    const provider = await findProvider(db.run, body.provider_id, principal.tenant_id)
    const isUsable =
      provider &&
      !provider.deleted_at &&
      !provider.own &&
      (provider.application_id === null || provider.application_id === applicationId)
    if (!isUsable)
      throw fieldProblem('validation_failed', 'provider_id', 'names no webhook provider of this application')
    return { applicationId, providerId: body.provider_id, secret: undefined }
  },
  async effect({ config, secrets: { keyRing } }, request, run, { applicationId, providerId, secret }) {
    const { body, principal } = request
    const { tenant_id: tenantId } = principal
    const id = newId('whsub')
    await requireRoomForSubscription(run, { tenantId, applicationId }, config)
    if (secret !== undefined) {
      const sealed = sealSecret(keyRing, secret, tenantId, providerId)
      await insertOwnProvider(run, { id: providerId, tenantId, applicationId, secret: sealed })
      const owner = { tenant_id: tenantId, application_id: applicationId, subscription_id: id }
      await tellOwnProvider(run, keyRing, { id: providerId, ...owner, secret: sealed, version: 1 })
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
    await tellSubscription(run, row, actorOf(principal))
    const after = describeSubscription(keyRing, row)
    await auditSubscription(run, { request, action: 'webhook_subscription.created', before: null, after })
    return new Reply(201, JSON.stringify({ ...after, ...(secret ? { secret } : {}) }))
  },
  after({ log, wakeOutbox }, { requestId }) {
    wakeOutbox()
    log.info({ request_id: requestId }, 'webhook subscription created')
  },
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
