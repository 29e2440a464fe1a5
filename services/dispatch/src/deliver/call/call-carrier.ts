import { exceededLimit, takesKeys } from '@notify/carriers/kinds'
import { type CarrierAnswer, noConnection } from '@notify/carriers/sending'
import { channelContracts } from '@notify/contracts'
import { ownLoopTurn, type Span, SpanKind, type TenantRoom } from '@notify/service-kit'
import type { WithCarrierTemplates } from '../../catalogue/carrier-templates/carrier-template-directory.ts'
import { askBeforeSend, type Withheld } from '../../catalogue/consents/ask-before-send.ts'
import type { WithConsents } from '../../catalogue/consents/consent-directory.ts'
import { domainOf, type Standings, type WithDomains } from '../../catalogue/domains/verified-domains.ts'
import { carrierOfKind, type Provider } from '../../catalogue/providers/provider-directory.ts'
import type { Payload } from '../../channels/channel.ts'
import { openPayload } from '../../channels/payload-aad.ts'
import type { Context } from '../../context.ts'
import { type Claim, isRefusedSince } from '../claim/claim-store.ts'
import { attachFiles } from './attach-files.ts'
import type { CarrierMessage } from './carrier.ts'
import { circuitOpenCode, type GuardedCarriers } from './circuit-breaker.ts'
import { leaveOutCopies } from './leave-out-copies.ts'
import { senderUnverified, senderUnverifiedThere, templateNotApproved, textTooLong } from './own-answers.ts'
import { forgetRepetition, repeatAttempt } from './repeat-attempt.ts'

const largeText = 50_000

/** The parts of the context that a call uses. */
export type CallContext = Pick<Context, 'carrierTable' | 'channels' | 'db' | 'metrics' | 'secrets' | 'tracer'> &
  WithDomains &
  WithCarrierTemplates &
  WithConsents & { carriers: GuardedCarriers; fileRoom: TenantRoom }

/** How a call ended, or why none was made. */
export type CallResult =
  | { kind: 'answered'; answer: CarrierAnswer }
  /** The provider's circuit opened after it was chosen. */
  | { kind: 'not_called'; reason: 'circuit_open' }
  /** All connections to the provider's carrier stayed in use. */
  | { kind: 'not_called'; reason: 'no_connection' }
  /** The call cannot begin in time, or the message was refused during the wait. */
  | { kind: 'not_called'; reason: 'late' }
  /** The provider may not send this message now; another one may. */
  | { kind: 'not_called'; reason: 'provider_unfit'; answer: CarrierAnswer }
  /** No provider may send this message now, or consent is unknown. */
  | ({ kind: 'not_called' } & Withheld)

/** Until when a message may be sent, by `performance.now()`. */
export interface Latest {
  /** When its last checks must have begun. */
  checkMs: number
  /** When the call must have begun. */
  callMs: number
}

/** Hands a claimed message to one provider's carrier. Never throws for the carrier's errors. */
export async function callCarrier(
  context: CallContext,
  claim: Claim,
  provider: Provider,
  { parent, latest }: { parent: Span; latest: Latest },
): Promise<CallResult> {
  const { channels, secrets } = context
  const channel = channels[claim.channel]!
  const stored = openPayload(secrets.keyRing, channel, { ...claim, tenantId: claim.tenant_id })
  // The clients of carriers take milliseconds to serialize a large message; a code must not wait for several of them.
  if (stored.length > largeText) await ownLoopTurn(claim.tenant_id)
  const composed = channel.payload.parse(JSON.parse(stored))
  if (!channel.files?.has(composed)) return judgeAndCall(context, claim, provider, { parent, latest, composed })
  const leave = await context.fileRoom(claim.tenant_id, latest.checkMs)
  if (!leave) return { kind: 'not_called', reason: 'late' }
  try {
    if (await isRefusedSince(context.db, claim)) return { kind: 'not_called', reason: 'late' }
    return await judgeAndCall(context, claim, provider, { parent, latest, composed })
  } finally {
    leave()
  }
}

/** Checks the message a last time, and calls the carrier. */
async function judgeAndCall(
  context: CallContext,
  claim: Claim,
  provider: Provider,
  { parent, latest, composed }: { parent: Span; latest: Latest; composed: Payload },
): Promise<CallResult> {
  const { channels, directory } = context
  const channel = channels[claim.channel]!
  const { payload, recipientTag } = await leaveOutCopies(context, channel, claim, composed)
  // After the acceptance the domain may have lost its records, or another tenant may have registered it.
  const sender = channel.senderOf?.(payload)
  const domain = sender === undefined ? undefined : domainOf(sender)
  const standings = domain && (await directory.domains.standingsOf(claim.tenant_id, domain))
  if (domain && !standings) return { kind: 'not_called', reason: 'refused', answer: senderUnverified }
  const standing = standings && standingAt(context, provider, standings, claim)
  if (standing === 'pending') return { kind: 'not_called', reason: 'provider_unfit', answer: senderUnverifiedThere }
  const size = channel.sizeOf?.(payload)
  if (size && exceededLimit(provider.kind, size))
    return { kind: 'not_called', reason: 'provider_unfit', answer: textTooLong }
  const template = channel.templateOf?.(payload)
  const unfit = template && (await directory.carrierTemplates.faultOf(provider.id, template))
  if (unfit) return { kind: 'not_called', reason: 'provider_unfit', answer: templateNotApproved(unfit) }
  const withheld = channelContracts[channel.name].needsConsent && (await askBeforeSend(context, claim, template))
  if (withheld) return { kind: 'not_called', ...withheld }
  const more = { ...(standing === 'verified' && { verified_domain: domain }), ...(recipientTag && { recipientTag }) }
  const whole = channel.files?.has(payload) ? await attachFiles(context, channel.files, claim, payload) : payload
  return call(context, claim, provider, { parent, latest, payload: whole, more })
}

interface Outgoing {
  parent: Span
  latest: Latest
  payload: Payload
  /** Fields for the carrier besides the payload. */
  more: object
}

async function call(
  { carriers, tracer, metrics, db }: CallContext,
  claim: Claim,
  provider: Provider,
  { parent, latest, payload, more }: Outgoing,
): Promise<CallResult> {
  const repeatOf = takesKeys(provider.kind) ? await repeatAttempt(db, claim, provider.id) : undefined
  // The checks may have taken seconds. The claim is put back, which also deletes the attempt and what it repeats.
  if (performance.now() > latest.callMs) return { kind: 'not_called', reason: 'late' }
  const span = tracer.start(`send ${provider.kind}`, {
    parent: parent.traceparent,
    kind: SpanKind.CLIENT,
    attributes: { 'notification.id': claim.id, 'attempt.id': claim.attempt_id, 'provider.id': provider.id },
  })
  const started = performance.now()
  const correlation = {
    repeatOf,
    notificationId: claim.id,
    attemptId: claim.attempt_id,
    mode: claim.mode,
    traceparent: span.traceparent,
    isCode: claim.lane === 'otp',
  }
  // Providers are listed by channel, so the carrier accepts this channel's payload.
  const message = { ...payload, ...more, ...correlation }
  const answer = await carriers.send(provider, message as unknown as CarrierMessage).catch((error: unknown) => {
    span.end(error)
    throw error
  })
  const reason = notCalledBecause(answer)
  if (!reason) metrics.carrierSeconds(provider.kind, claim.mode, (performance.now() - started) / 1000)
  span.set({ 'attempt.outcome': answer.outcome })
  span.end(answer.outcome === 'accepted' ? undefined : new Error(answer.code ?? answer.outcome))
  if (!reason) return { kind: 'answered', answer }
  if (repeatOf !== undefined) await forgetRepetition(db, claim)
  return { kind: 'not_called', reason }
}

function notCalledBecause({ code }: CarrierAnswer): 'circuit_open' | 'no_connection' | undefined {
  if (code === circuitOpenCode) return 'circuit_open'
  return code === noConnection.code ? 'no_connection' : undefined
}

/** The status of the sender's domain at the carrier. The sandbox and carriers without sending domains have none. */
function standingAt(
  { carrierTable }: CallContext,
  { id, kind }: Provider,
  standings: Standings,
  { mode }: Claim,
): Standings[string] {
  if (mode === 'test' || !carrierOfKind(carrierTable, kind)?.identities) return 'unmanaged'
  return standings[id] ?? 'pending'
}
