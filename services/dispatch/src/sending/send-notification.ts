import type { CarrierAnswer } from '@notify/carriers/sending'
import type { sendRequested } from '@notify/contracts'
import type { Delivery } from '@notify/messaging'
import { addLogFields, type Span } from '@notify/service-kit'
import type { z } from 'zod'
import type { LaneSettings } from '../channels/channel.ts'
import type { WorkerContext } from '../context.ts'
import type { ListedProvider } from '../providers/provider-directory.ts'
import { type BulkBrake, mostSlowdown } from './bulk-brake.ts'
import { callCarrier } from './call-carrier.ts'
import { chooseProvider } from './choose-provider.ts'
import type { Claim } from './claim-store.ts'
import { createClaims } from './claim-work.ts'
import { decideNext, retryPolicyOf } from './decide-next.ts'
import { heldTooLong, noProvider, notPrepared } from './own-answers.ts'
import { createPace } from './pace.ts'
import { recordAttempt } from './record-attempt.ts'
import { createThrottle, longestTurnMs } from './throttle.ts'

type Work = z.output<typeof sendRequested.schema>

/** A worker's lease outlasts every carrier call; an older attempt was left behind by a crash. */
const leaseMarginMs = 5000
/** Delay before messages are retried while all circuit breakers are open, spread at random. */
const heldBackSpreadMs = { urgent: 5000, bulk: 30_000 }
/** The shortest wait after a fault of our own: Postgres out of reach, a key that is missing. */
const faultPauseMs = 1000

/** Handles the work of a lane: claims the notification, calls the carrier, records the outcome. */
export type SendWork = (work: Work, delivery: Delivery) => Promise<void>

/** Makes what handles a lane. Bulk lanes are slowed by the brake. */
export function createSender(
  context: WorkerContext,
  { lane, concurrency, ratePerSecond }: LaneSettings,
  brake: BulkBrake,
): SendWork {
  const { config, db, directory, carriers, metrics } = context
  const isBulk = lane === 'bulk'
  const longestPaceMs = ((isBulk ? mostSlowdown : 1) * 1000 * concurrency) / ratePerSecond
  // Questions for consent gather while one is under way, so one waits for two calls at most.
  const longestCallMs = 2 * config.CONSENT_TIMEOUT + config.CARRIER_TIMEOUT
  const leaseMs = longestPaceMs + longestTurnMs + longestCallMs + leaseMarginMs
  const policy = retryPolicyOf(config)
  const claims = createClaims(context, leaseMs)
  const pace = createPace(ratePerSecond, isBulk ? { slowdown: brake.slowdown } : {})
  const throttles = { urgent: createThrottle(db, 'urgent'), bulk: createThrottle(db, 'bulk') }

  const putBack = async (claim: Claim, cause: 'circuit_open' | 'rate_limit' | 'late' | 'fault', afterMs: number) => {
    metrics.putBack(claim.channel, cause)
    await claims.putBack({ claim, afterMs, held: cause === 'circuit_open' || cause === 'fault' })
    return false
  }

  /** Neither the circuit breakers nor faults of our own hold a message for longer than HOLD_LIMIT. */
  const giveUpHeld = async (claim: Claim, answer: CarrierAnswer) => {
    const next = { status: 'failed', reason: answer.message!, retryable: true } as const
    await recordAttempt(context, claims, { claim, provider: null, answer, next })
    return false
  }

  /** Requeues after an internal error, at most until HOLD_LIMIT; an expired lease would count as an unknown outcome. */
  const putBackOnFault = (claim: Claim) => async (fault: unknown) => {
    if (claim.held_ms > config.HOLD_LIMIT) await giveUpHeld(claim, notPrepared)
    else await putBack(claim, 'fault', faultPauseMs + Math.random() * heldBackSpreadMs[urgencyOf(claim)])
    throw fault
  }

  const record = async (
    claim: Claim,
    provider: ListedProvider | null,
    answer: CarrierAnswer,
    otherProvider: boolean,
  ) => {
    const next = decideNext(answer, { lane: claim.lane, place: claim.round_attempts, otherProvider }, policy)
    await recordAttempt(context, claims, { claim, provider, answer, next })
    return next.status === 'queued' && next.failsOver && next.afterMs === 0
  }

  /** All circuit breakers are open: requeue until one may close, at most until HOLD_LIMIT. */
  const hold = async (claim: Claim, circuitOpenMs: number) => {
    if (claim.held_ms <= config.HOLD_LIMIT) {
      return putBack(claim, 'circuit_open', circuitOpenMs + Math.random() * heldBackSpreadMs[urgencyOf(claim)])
    }
    return giveUpHeld(claim, heldTooLong)
  }

  /** @returns whether another provider takes its turn at once */
  const attempt = async (claim: Claim, latestMs: number, span: Span): Promise<boolean> => {
    const { mode, tenant_id, application_id, channel } = claim
    await pace.next()
    const onFault = putBackOnFault(claim)
    const providers = await directory.providers.list(tenant_id, application_id, channel).catch(onFault)
    if (providers.length === 0) return record(claim, null, noProvider, false)
    const choice = chooseProvider(providers, new Set(claim.tried), (provider) => ({
      circuitOpenMs: carriers.circuitOpenMs(provider, mode),
      busy: carriers.isBusy(provider, mode),
    }))
    if ('circuitOpenMs' in choice) return hold(claim, choice.circuitOpenMs)
    const { provider, otherProvider } = choice
    // Test messages go to the sandbox and do not use the account's rate.
    if (provider.rateLimitPerSecond !== null && mode === 'live') {
      const againInMs = await throttles[urgencyOf(claim)].turn(provider.id, provider.rateLimitPerSecond)
      if (againInMs > 0) return putBack(claim, 'rate_limit', againInMs)
    }
    // The lease could expire before the carrier answers, and the message be sent again meanwhile; or the message has expired.
    if (performance.now() > latestMs) return putBack(claim, 'late', 0)
    const result = await callCarrier(context, claim, provider, span).catch(onFault)
    if (result.kind === 'answered') return record(claim, provider, result.answer, otherProvider)
    switch (result.reason) {
      case 'circuit_open':
        return hold(claim, carriers.circuitOpenMs(provider, mode))
      case 'provider_unfit':
        return record(claim, provider, result.answer, otherProvider)
      case 'refused':
        return record(claim, null, result.answer, false)
    }
  }

  return async ({ notification_id }, { span }) => {
    // A refused message goes to the next provider in this loop. It is also due at once in the table: after a crash in between
    // the scheduler brings it back, and the attempts tell which providers were tried.
    for (let again = true; again; ) {
      const begunMs = performance.now()
      const claim = await claims.take(notification_id)
      if (claim) addLogFields({ tenant_id: claim.tenant_id, notification_id })
      const lastsMs = leaseMs - longestCallMs - leaseMarginMs / 2
      const latestMs = begunMs + Math.min(lastsMs, claim?.expires_in_ms ?? lastsMs)
      again = claim !== undefined && (await attempt(claim, latestMs, span))
    }
  }
}

const urgencyOf = ({ lane }: Claim) => (lane === 'bulk' ? 'bulk' : 'urgent')
