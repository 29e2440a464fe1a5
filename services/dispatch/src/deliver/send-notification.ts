import type { CarrierAnswer } from '@notify/carriers/sending'
import type { Span } from '@notify/service-kit'
import type { ListedProvider, WithProviders } from '../catalogue/providers/provider-directory.ts'
import { quietForMs } from '../catalogue/recipients/quiet-hours.ts'
import type { Context } from '../context.ts'
import type { PutBackCause } from '../metrics.ts'
import { type CallContext, callCarrier, type Latest } from './call/call-carrier.ts'
import { chooseProvider } from './call/choose-provider.ts'
import { isBroken } from './call/circuit-breaker.ts'
import { heldTooLong, noProvider, notPrepared } from './call/own-answers.ts'
import { type Chosen, createTurns, type Late } from './call/take-turn.ts'
import type { Claim } from './claim/claim-store.ts'
import { type Claims, createClaims } from './claim/claim-work.ts'
import type { Unmade } from './claim/put-back-store.ts'
import { holdQueue, type LaneOf, releaseQueue } from './queues/queue-store.ts'
import { type RecordContext, recordAttempt } from './record-attempt.ts'
import { decideNext, nextDelayMs, retryPolicyOf } from './settle/decide-next.ts'
import { longestTurnMs } from './throttle/slot-store.ts'
import { createThrottle } from './throttle/throttle.ts'

/** The margin by which a lease outlasts the longest carrier call: an attempt beyond its lease was left by a crash. */
const leaseMarginMs = 5000
/** The delay after an internal error, such as a missing key; a random part of the spread is added. */
const faultPauseMs = 1000
const faultSpreadMs = { urgent: 5000, bulk: 30_000 }

/** Circuit breakers and timers use different clocks. A wake that is early by their rounding would find the circuit open. */
const clockStepMs = 2

/** What sending needs of the context. */
export type SendContext = Context & CallContext & RecordContext & WithProviders

/** What sending a message reveals about its queue. */
export type Verdict =
  /** The account answers, or the message waits for a time of its own: neither keeps the queue from sending more. */
  | { kind: 'answered' }
  /** No carrier was called; the queue may have another message that is due. */
  | { kind: 'again' }
  /** The time until the account's rate limit, or its connections, permit further calls. */
  | { kind: 'rate_limited'; forMs: number }
  /** How long the queue sends nothing: all circuit breakers are open, or a `fault` of our own stops every message. */
  | { kind: 'unavailable'; forMs: number; fault?: unknown }

export interface Sender {
  claim: Claims['take']
  /**
   * Hands a claimed message to a carrier and records the outcome. @throws Error after an internal error, once the message is
   * requeued or failed
   */
  send(claim: Claim, span: Span): Promise<Verdict>
}

/** Makes the sender of a lane. */
export function createSender(context: SendContext, lane: LaneOf, isStopping: () => boolean): Sender {
  const { config, db, directory, carriers, metrics } = context
  const urgency = lane.lane === 'bulk' ? 'bulk' : 'urgent'
  // Requests to consent join the next batch while a call is in progress, so a request takes two calls at most.
  const longestCallMs = 2 * config.CONSENT_TIMEOUT + config.CARRIER_TIMEOUT
  const leaseMs = longestTurnMs + longestCallMs + leaseMarginMs
  const latestFor = ({ claimed_at_ms, expires_in_ms }: Claim): Latest => {
    const before = (lastsMs: number) => claimed_at_ms + Math.min(lastsMs, expires_in_ms ?? lastsMs)
    const lastsMs = leaseMs - leaseMarginMs / 2
    return { checkMs: before(lastsMs - longestCallMs), callMs: before(lastsMs - config.CARRIER_TIMEOUT) }
  }
  const policy = retryPolicyOf(config)
  const claims = createClaims(context, lane, { leaseMs, isStopping })
  const turns = createTurns(carriers, createThrottle(db, urgency))
  const { standingOf } = turns

  const putBack = async (claim: Claim, cause: PutBackCause, more: Partial<Unmade> = {}) => {
    metrics.putBack(claim.channel, cause)
    await claims.putBack({ claim, afterMs: 0, ...more })
  }

  /** Ends a failover that would wait, although other messages of the queue can be sent: they must not wait behind it. */
  const startAgain = async (claim: Claim, cause: PutBackCause): Promise<Verdict> => {
    await putBack(claim, cause, { afterMs: nextDelayMs(claim.round_attempts, policy), startsAgain: true })
    return { kind: 'again' }
  }

  /** No other provider can send it, and other messages must not wait behind it. */
  const waitApart = async (claim: Claim, cause: PutBackCause, forMs: number, held = false): Promise<Verdict> => {
    await putBack(claim, cause, { afterMs: forMs + Math.random() * faultSpreadMs[urgency], held })
    return { kind: 'again' }
  }

  /** Fails a message that circuit breakers or internal errors have delayed for longer than HOLD_LIMIT. */
  const giveUpHeld = async (claim: Claim, answer: CarrierAnswer): Promise<Verdict> => {
    const next = { status: 'failed', reason: answer.message!, retryable: true } as const
    await recordAttempt(context, claims, { claim, provider: null, answer, next })
    return { kind: 'answered' }
  }

  const faultDelayMs = () => faultPauseMs + Math.random() * faultSpreadMs[urgency]

  /**
   * Requeues after an internal error, until HOLD_LIMIT. If the lease expired instead, the outcome would count as unknown.
   */
  const putBackOnFault = (claim: Claim) => async (fault: unknown) => {
    if (claim.held_ms > config.HOLD_LIMIT) await giveUpHeld(claim, notPrepared)
    else await putBack(claim, 'fault', { afterMs: faultDelayMs(), held: true })
    throw fault
  }

  /** Only providers whose circuit breakers are open can send it. */
  const waitForCircuit = (claim: Claim, openMs: number): Promise<Verdict> =>
    claim.held_ms > config.HOLD_LIMIT ? giveUpHeld(claim, heldTooLong) : waitApart(claim, 'circuit_open', openMs, true)

  /** How long the circuit breakers of all these providers stay open. */
  const openMsOf = (claim: Claim, providers: readonly ListedProvider[]) =>
    Math.min(...providers.map((one) => standingOf(claim)(one).circuitOpenMs))

  const isHeldTooLong = ({ queue_held_ms }: Claim) => queue_held_ms !== null && queue_held_ms > config.HOLD_LIMIT

  const unavailable = async (claim: Claim, forMs: number) => {
    if (claim.queue_held_ms === null) await holdQueue(db, claim)
    return { kind: 'unavailable', forMs: forMs + clockStepMs } as const
  }

  /** Without an answer of consent the queue waits until HOLD_LIMIT: each of its messages would wait for that answer. */
  const waitForConsent = async (claim: Claim, fault: unknown): Promise<Verdict> => {
    if (isHeldTooLong(claim)) return giveUpHeld(claim, notPrepared)
    await putBack(claim, 'fault')
    return { ...(await unavailable(claim, faultDelayMs())), fault }
  }

  /**
   * If all circuit breakers are open, the message waits with its queue until HOLD_LIMIT, and until a probe in progress has
   * ended.
   */
  const hold = async (claim: Claim, providers: readonly ListedProvider[]): Promise<Verdict> => {
    const choice = chooseProvider(providers, new Set(), standingOf(claim))
    if ('provider' in choice) {
      const tried = new Set<string | null>(claim.tried)
      const untried = providers.filter(({ id }) => !tried.has(id))
      if (claim.unfit && untried.length > 0) return waitForCircuit(claim, openMsOf(claim, untried))
      if (claim.tried) return startAgain(claim, 'circuit_open')
      await putBack(claim, 'circuit_open')
      return { kind: 'again' }
    }
    const isProbed = providers.some((provider) => carriers.isProbed(provider, claim.mode))
    if (isHeldTooLong(claim) && !isProbed) return giveUpHeld(claim, heldTooLong)
    await putBack(claim, 'circuit_open')
    return unavailable(claim, choice.circuitOpenMs)
  }

  const record = async (
    claim: Claim,
    providers: readonly ListedProvider[],
    provider: ListedProvider | null,
    answer: CarrierAnswer,
    otherProvider: boolean,
  ): Promise<Verdict> => {
    const next = decideNext(answer, { lane: claim.lane, step: claim.round_attempts, otherProvider }, policy)
    await recordAttempt(context, claims, { claim, provider, answer, next })
    const works = provider !== null && !isBroken(answer)
    if (works && claim.queue_held_ms !== null) await releaseQueue(db, claim)
    if (next.status === 'queued' && next.failsOver && next.afterMs === 0) return { kind: 'again' }
    const choice = providers.length > 0 && chooseProvider(providers, new Set(), standingOf(claim))
    // After HOLD_LIMIT the queue stays awake, so that the messages behind this one are failed as well.
    const sleeps = choice && 'circuitOpenMs' in choice && !isHeldTooLong(claim)
    return sleeps ? unavailable(claim, choice.circuitOpenMs) : { kind: 'answered' }
  }

  const waitForTurn = async (
    claim: Claim,
    { forMs, othersGoOn }: Late,
    cause: PutBackCause = 'rate_limit',
  ): Promise<Verdict> => {
    if (othersGoOn && claim.unfit) return waitApart(claim, cause, forMs)
    if (othersGoOn && claim.tried) return startAgain(claim, cause)
    await putBack(claim, cause)
    return { kind: 'rate_limited', forMs }
  }

  /** This provider cannot send the message, but perhaps another one can, although not at this moment. */
  const passOn = async (
    claim: Claim,
    providers: readonly ListedProvider[],
    { provider, late }: Chosen,
    answer: CarrierAnswer,
  ): Promise<Verdict> => {
    const seen = new Set<string | null>([provider.id, ...(claim.tried ?? []), ...late.keys()])
    const others = providers.filter(({ id }) => !seen.has(id))
    const openMs = openMsOf(claim, others)
    if (openMs === 0) return record(claim, providers, provider, answer, true)
    if (late.size > 0) return waitForTurn(claim, { forMs: Math.min(...late.values()), othersGoOn: false })
    if (others.length === 0) return record(claim, providers, provider, answer, false)
    return waitForCircuit(claim, openMs)
  }

  const send = async (claim: Claim, span: Span): Promise<Verdict> => {
    const latest = latestFor(claim)
    const { tenant_id, application_id, channel } = claim
    const onFault = putBackOnFault(claim)
    // Most messages name no user, so they need no check.
    const quietMs = claim.quiet_hours === null ? 0 : await quietForMs(context.secrets.keyRing, claim).catch(onFault)
    if (quietMs > 0) {
      await putBack(claim, 'quiet_hours', { afterMs: quietMs, asked: true })
      return { kind: 'answered' }
    }
    const providers = await directory.providers.list(tenant_id, application_id, channel).catch(onFault)
    if (providers.length === 0) return record(claim, providers, null, noProvider, false)
    const turn = await turns.take(claim, providers)
    if ('circuitOpenMs' in turn) return hold(claim, providers)
    if ('forMs' in turn) return waitForTurn(claim, turn)
    const { provider, otherProvider } = turn
    // If the checks began now, the lease could end before the answer, and the message be sent twice; or the message has
    // expired.
    if (performance.now() > latest.checkMs) {
      await putBack(claim, 'late')
      return { kind: 'again' }
    }
    const result = await callCarrier(context, claim, provider, { parent: span, latest }).catch(onFault)
    if (result.kind === 'answered') return record(claim, providers, provider, result.answer, otherProvider)
    switch (result.reason) {
      case 'late':
        await putBack(claim, 'late')
        return { kind: 'again' }
      case 'circuit_open':
        return hold(claim, providers)
      case 'no_connection':
        return waitForTurn(claim, turns.withoutConnection(claim, providers, turn), 'no_connection')
      case 'provider_unfit':
        return passOn(claim, providers, turn, result.answer)
      case 'refused':
        return record(claim, providers, null, result.answer, false)
      case 'no_consent_answer':
        return waitForConsent(claim, result.fault)
    }
  }

  return { claim: claims.take, send }
}
