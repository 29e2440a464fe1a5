import type { rotateWebhookSecret as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { askForRotation } from '../providers/ask-dispatch.ts'
import { findProvider, saveProviderRow } from '../providers/provider-store.ts'
import { requireSubscription } from './scope.ts'

/** Has dispatch make a new secret, and keeps a copy. If the process dies in between, dispatch's event brings it. */
export const rotateSecret: Handler<Context, typeof contract> = idempotentAnswer(async (context, request) => {
  const { db, log } = context
  const { params, principal, requestId } = request
  const { id, tenant_id, application_id, provider_id } = await requireSubscription(
    db.run,
    principal,
    params.subscription_id,
  )
  const provider = await findProvider(db.run, provider_id, tenant_id)
  if (!provider?.own) {
    const remedy =
      provider && !provider.deleted_at
        ? '; rotate it there'
        : ', which was deleted; change the subscription to name another one'
    throw new Problem('secret_of_provider', `The secret belongs to the provider ${provider_id}${remedy}`)
  }
  const owner = { tenant_id, application_id, subscription_id: id }
  const { copy, secret, previousUntil } = await askForRotation(context, request, { id: provider_id, ...owner })
  await saveProviderRow(db.run, copy)
  log.info({ subscription_id: id, request_id: requestId }, 'webhook secret rotated')
  return new Reply(
    200,
    JSON.stringify({ subscription_id: id, provider_id, secret, previous_valid_until: previousUntil }),
  )
})
