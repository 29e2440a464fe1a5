import {
  createSubscriptionProvider,
  type IssuedProvider,
  rotateSubscriptionSecret,
  type WebhookSubscription,
} from '@notify/contracts'
import { type HttpRequest, principalHeader } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { ProviderCopy } from './provider-store.ts'
import { readCopy } from './read-copy.ts'
import type { Reservation } from './reservation-store.ts'

/** The answer of dispatch: the copy to keep, and the response for the caller. */
export interface Issued {
  copy: ProviderCopy
  secret: string
  previousUntil: string | undefined
}

type Asking = Pick<Context, 'dispatch' | 'secrets'>
type Caller = Pick<HttpRequest<never>, 'headers' | 'requestId' | 'span' | 'idempotencyKey'>

const timeoutMs = 2500

/** Has dispatch create a provider. A repetition returns the same one. @throws Problem `service_unavailable` */
export async function askForProvider(context: Asking, caller: Caller, provider: Reservation): Promise<Issued> {
  const { id: provider_id, ...owner } = wire(provider)
  const body = { provider_id, ...owner }
  const answer = await context.dispatch.call(createSubscriptionProvider, { ...forwarded(caller), body })
  return issuedOf(context, provider, answer)
}

/** Has dispatch rotate a secret, once for each Idempotency-Key of the caller. @throws Problem `service_unavailable` */
export async function askForRotation(context: Asking, caller: Caller, provider: Reservation): Promise<Issued> {
  const { id: provider_id, ...body } = wire(provider)
  const { headers, ...options } = forwarded(caller)
  const answer = await context.dispatch.call(rotateSubscriptionSecret, {
    ...options,
    params: { provider_id },
    body,
    // With a key, a lost call is repeated.
    headers: { ...headers, 'idempotency-key': caller.idempotencyKey ?? crypto.randomUUID() },
  })
  return issuedOf(context, provider, answer)
}

/** The caller's own principal, as the gateway has signed it. */
function forwarded({ headers, requestId, span }: Caller) {
  return {
    principal: String(headers[principalHeader]),
    headers: { 'x-request-id': requestId, traceparent: span.traceparent },
    timeoutMs,
  }
}

function wire({ id, subscription_id, application_id }: Reservation) {
  return {
    id: id as `prov_${string}`,
    subscription_id: subscription_id as WebhookSubscription['subscription_id'],
    application_id: application_id as WebhookSubscription['application_id'],
  }
}

function issuedOf(
  { secrets }: Asking,
  { id, tenant_id, application_id }: Reservation,
  { revision, priority, credentials }: IssuedProvider,
): Issued {
  const fields = { id, tenant_id, application_id, own: true, isDeleted: false, revision, priority }
  return {
    copy: readCopy(secrets.keyRing, { ...fields, credentials }),
    secret: credentials.secret!,
    previousUntil: credentials.previous_until,
  }
}
