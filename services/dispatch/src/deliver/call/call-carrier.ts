import type { CarrierAnswer } from '@notify/carriers/sending'
import { ownLoopTurn, type Span, SpanKind } from '@notify/service-kit'
import type { WithCarrierTemplates } from '../../catalogue/carrier-templates/carrier-template-directory.ts'
import { askBeforeSend } from '../../catalogue/consents/ask-before-send.ts'
import type { WithConsents } from '../../catalogue/consents/consent-directory.ts'
import { domainOf, type Standings, type WithDomains } from '../../catalogue/domains/verified-domains.ts'
import { carrierOfKind, type Provider } from '../../catalogue/providers/provider-directory.ts'
import { payloadAad } from '../../channels/payload-aad.ts'
import type { Context } from '../../context.ts'
import type { Claim } from '../claim/claim-store.ts'
import type { CarrierMessage } from './carrier.ts'
import { circuitOpenCode, type GuardedCarriers } from './circuit-breaker.ts'
import { senderUnverified, senderUnverifiedThere, templateNotApproved } from './own-answers.ts'

const largeText = 50_000

/** What a call needs of the context. */
export type CallContext = Pick<Context, 'carrierTable' | 'channels' | 'log' | 'metrics' | 'secrets' | 'tracer'> &
  WithDomains &
  WithCarrierTemplates &
  WithConsents & { carriers: GuardedCarriers }

/** How a call ended, or why none was made. */
export type CallResult =
  | { kind: 'answered'; answer: CarrierAnswer }
  /** The provider's circuit opened after it was chosen. */
  | { kind: 'not_called'; reason: 'circuit_open' }
  /** The provider may not send this message now; another one may. */
  | { kind: 'not_called'; reason: 'provider_unfit'; answer: CarrierAnswer }
  /** No provider may send this message now. */
  | { kind: 'not_called'; reason: 'refused'; answer: CarrierAnswer }

/** Hands a claimed message to one provider's carrier. Never throws for the carrier's errors. */
export async function callCarrier(
  context: CallContext,
  claim: Claim,
  provider: Provider,
  parent: Span,
): Promise<CallResult> {
  const { channels, secrets, directory, carriers, tracer, metrics } = context
  const channel = channels[claim.channel]!
  const stored = secrets.keyRing.decrypt(claim.payload, payloadAad(channel, { ...claim, tenantId: claim.tenant_id }))
  // The clients of carriers take milliseconds to serialize a large message; a code must not wait for several of them.
  if (stored.length > largeText) await ownLoopTurn()
  const payload = channel.payload.parse(JSON.parse(stored))
  // Since the acceptance the domain may have lost its records, or have gone to another tenant.
  const sender = channel.senderOf?.(payload)
  const domain = sender === undefined ? undefined : domainOf(sender)
  const standings = domain && (await directory.domains.standingsOf(claim.tenant_id, domain))
  if (domain && !standings) return { kind: 'not_called', reason: 'refused', answer: senderUnverified }
  const standing = standings && standingAt(context, provider, standings, claim)
  if (standing === 'pending') return { kind: 'not_called', reason: 'provider_unfit', answer: senderUnverifiedThere }
  const template = channel.templateOf?.(payload)
  const unfit = template && (await directory.carrierTemplates.faultOf(provider.id, template))
  if (unfit) return { kind: 'not_called', reason: 'provider_unfit', answer: templateNotApproved(unfit) }
  const refused = channel.needsConsent && (await askBeforeSend(context, claim, template))
  if (refused) return { kind: 'not_called', reason: 'refused', answer: refused }
  const span = tracer.start(`send ${provider.kind}`, {
    parent: parent.traceparent,
    kind: SpanKind.CLIENT,
    attributes: { 'notification.id': claim.id, 'attempt.id': claim.attempt_id, 'provider.id': provider.id },
  })
  const started = performance.now()
  const correlation = {
    notificationId: claim.id,
    attemptId: claim.attempt_id,
    mode: claim.mode,
    traceparent: span.traceparent,
  }
  // Providers are listed by channel, so the carrier accepts this channel's payload.
  const message = { ...payload, ...(standing === 'verified' && { verified_domain: domain }), ...correlation }
  const answer = await carriers.send(provider, message as unknown as CarrierMessage)
  metrics.carrierSeconds(provider.kind, claim.mode, (performance.now() - started) / 1000)
  span.set({ 'attempt.outcome': answer.outcome })
  span.end(answer.outcome === 'accepted' ? undefined : new Error(answer.code ?? answer.outcome))
  return answer.code === circuitOpenCode ? { kind: 'not_called', reason: 'circuit_open' } : { kind: 'answered', answer }
}

/** What the domain of the sender is at the carrier. The sandbox has no domains; other carriers register none. */
function standingAt(
  { carrierTable }: CallContext,
  { id, kind }: Provider,
  standings: Standings,
  { mode }: Claim,
): Standings[string] {
  if (mode === 'test' || !carrierOfKind(carrierTable, kind)?.identities) return 'unmanaged'
  return standings[id] ?? 'pending'
}
