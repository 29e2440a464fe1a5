import { type Span, SpanKind } from '@notify/service-kit'
import { payloadPlace } from '../accept/judge-candidate.ts'
import type { CarrierAnswer, Payload } from '../carriers/carrier.ts'
import type { WorkerContext } from '../context.ts'
import { domainOf } from '../domains/verified-domains.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { Claim } from './attempt-store.ts'

/** Hands a claimed message to one provider's carrier. Never throws for what the carrier does. */
export async function callCarrier(
  { secrets, directory, carriers, tracer, metrics }: WorkerContext,
  claim: Claim,
  provider: Provider,
  parent: Span,
): Promise<CarrierAnswer> {
  const payload: Payload = JSON.parse(secrets.keyRing.decrypt(claim.payload, payloadPlace(claim.tenant_id, claim.id)))
  // Between the acceptance and now the domain may have drifted, or have gone to another tenant.
  if ('from' in payload && payload.from !== undefined) {
    if (!(await directory.domains.isVerified(claim.tenant_id, domainOf(payload.from)))) return senderUnverified
  }
  const span = tracer.start(`send ${provider.kind}`, {
    parent: parent.traceparent,
    kind: SpanKind.CLIENT,
    attributes: { 'notification.id': claim.id, 'attempt.id': claim.attempt_id, 'provider.id': provider.id },
  })
  const started = performance.now()
  const answer = await carriers.send(provider, {
    ...payload,
    notificationId: claim.id,
    attemptId: claim.attempt_id,
    mode: claim.mode,
    traceparent: span.traceparent,
  })
  metrics.carrierSeconds(provider.kind, (performance.now() - started) / 1000)
  span.set({ 'attempt.outcome': answer.outcome })
  span.end(answer.outcome === 'accepted' ? undefined : new Error(answer.code ?? answer.outcome))
  return answer
}

/** All providers of the channel were removed after the message was accepted. */
export const noProvider: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'provider_not_configured',
  message: 'No provider is configured for this channel any more',
  providerMessageId: null,
  retryAfterMs: null,
}

/** Calls to every provider were held back until the message had waited long enough. */
export const heldTooLong: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'provider_unavailable',
  message: 'No provider of this channel could be called for too long',
  providerMessageId: null,
  retryAfterMs: null,
}

/** The message names a sender at a domain that is not verified any more; once it is mended, the message goes. */
export const senderUnverified: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'domain_not_verified',
  message: 'The domain of the sender is not verified any more',
  providerMessageId: null,
  retryAfterMs: null,
}
