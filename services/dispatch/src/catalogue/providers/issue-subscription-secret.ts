import {
  type createSubscriptionProvider as createContract,
  dispatchAuditRecorded,
  type KeyPrincipal,
  type OperatorPrincipal,
  type rotateSubscriptionSecret as rotateContract,
} from '@notify/contracts'
import { idempotent, type Run, recordAudit } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import { newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../../context.ts'
import { providerMissing } from './describe-provider.ts'
import { lockProviderId, type ProviderRow } from './provider-store.ts'
import { rotateSecret } from './rotate-provider-secret.ts'
import { credentialsOf, type Writing } from './write-provider.ts'
import { type Owner, writeSubscriptionProvider } from './write-subscription-provider.ts'

/** Creates the provider of a subscription under the id that webhook-delivery chose. */
export const createSubscriptionProvider: Handler<Context, typeof createContract> = idempotent({
  async effect(context, { body, principal }, run) {
    const owner = ownerOf(principal, body)
    const known = await lockOwn(run, body.provider_id, owner)
    const credentials = { secret: newWebhookSecret() }
    const row =
      known ?? (await writeSubscriptionProvider(run, context, { id: body.provider_id, ...owner, credentials }, known))
    return new Reply(201, issued(context, row))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})

/** Rotates the secret of a subscription's provider, once for each Idempotency-Key of the caller. */
export const rotateSubscriptionSecret: Handler<Context, typeof rotateContract> = idempotent({
  async effect(context, request, run) {
    const { body, params, principal } = request
    const owner = ownerOf(principal, body)
    const known = await lockOwn(run, params.provider_id, owner)
    if (!known) throw providerMissing()
    const { written, until } = await rotateSecret(context, run, known, known.updated_by)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      action: 'webhook_subscription.secret_rotated',
      resourceId: owner.subscription_id,
      applicationId: owner.application_id,
      before: { secret: 'previous' },
      after: { secret: 'new', previous_valid_until: until },
    })
    return new Reply(200, issued(context, written))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})

/** The owner that the caller may name: a key only its own application. */
function ownerOf(
  principal: KeyPrincipal | OperatorPrincipal,
  { subscription_id, application_id }: Omit<Owner, 'tenant_id'>,
): Owner {
  const { tenant_id } = principal
  return {
    tenant_id,
    subscription_id,
    application_id: principal.kind === 'key' ? principal.application_id : application_id,
  }
}

/** @throws Problem `not_found` for a provider that was deleted, or of another owner */
async function lockOwn(run: Run, id: ProviderRow['id'], owner: Owner): Promise<ProviderRow | undefined> {
  const row = await lockProviderId(run, id)
  const isOwn =
    !row ||
    (row.deleted_at === null &&
      row.tenant_id === owner.tenant_id &&
      row.application_id === owner.application_id &&
      row.subscription_id === owner.subscription_id)
  if (!isOwn) throw providerMissing()
  return row
}

function issued(context: Writing, row: ProviderRow): string {
  return JSON.stringify({ revision: row.revision, priority: row.priority, credentials: credentialsOf(context, row) })
}
