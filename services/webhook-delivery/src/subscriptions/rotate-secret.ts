import { type rotateWebhookSecret as contract, webhookAuditRecorded } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../context.ts'
import { rotateOwnSecret } from '../providers/provider-store.ts'
import { sealSecret } from '../providers/secret.ts'
import { tellOwnProvider } from '../providers/tell-own-provider.ts'
import { requireSubscription } from './scope.ts'

/** Makes a new secret; each one before it signs as well for a day after its successor was made. */
export const rotateSecret: Handler<Context, typeof contract> = idempotent({
  async effect({ secrets: { keyRing } }, request, run) {
    const { params, principal } = request
    const { id, tenant_id, application_id, provider_id } = await requireSubscription(
      run,
      principal,
      params.subscription_id,
    )
    const secret = newWebhookSecret()
    const sealed = sealSecret(keyRing, secret, tenant_id, provider_id)
    const rotated = await rotateOwnSecret(run, provider_id, sealed)
    if (!rotated) {
      throw new Problem('secret_of_provider', `The secret belongs to the provider ${provider_id}; rotate it there`)
    }
    const { previous_until: until } = rotated
    const owner = { tenant_id, application_id, subscription_id: id }
    await tellOwnProvider(run, keyRing, { id: provider_id, ...owner, secret: sealed, ...rotated })
    await recordAudit(run, webhookAuditRecorded, {
      request,
      action: 'webhook_subscription.secret_rotated',
      resourceId: id,
      applicationId: application_id,
      before: { secret: 'previous' },
      after: { secret: 'new', previous_valid_until: until },
    })
    const body = { subscription_id: id, provider_id, secret, previous_valid_until: until.toISOString() }
    return new Reply(200, JSON.stringify(body))
  },
  after({ log, wakeOutbox }, { params, requestId }) {
    wakeOutbox()
    log.info({ subscription_id: params.subscription_id, request_id: requestId }, 'webhook secret rotated')
  },
})
