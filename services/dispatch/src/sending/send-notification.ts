import type { sendRequested } from '@notify/contracts'
import type { Delivery } from '@notify/messaging'
import type { Span } from '@notify/service-kit'
import type { z } from 'zod'
import type { CarrierAnswer } from '../carriers/carrier.ts'
import { heldBackCode } from '../carriers/hold-back.ts'
import type { WorkerContext } from '../context.ts'
import type { ListedProvider } from '../providers/provider-directory.ts'
import { suppress } from '../suppressions/suppression-store.ts'
import type { Claim, Settlement } from './attempt-store.ts'
import { callCarrier, heldTooLong, noProvider, senderUnverified } from './call-carrier.ts'
import { chooseProvider } from './choose-provider.ts'
import { createClaims } from './claim-work.ts'
import { decideNext, type RetryPolicy } from './decide-next.ts'
import { createPace } from './pace.ts'
import { createThrottle, longestTurnMs } from './throttle.ts'

type Work = z.output<typeof sendRequested.schema>

/** A worker's lease outlasts every carrier call; what is older was left behind by a crash. */
const leaseMarginMs = 5000
/** While every provider is held back messages look again, spread so that they do not all come at once. */
const heldBackSpreadMs = { urgent: 5000, bulk: 30_000 }
/** The shortest wait after a fault of our own: Postgres out of reach, a key that is missing. */
const faultPauseMs = 1000

/** Handles the work of a lane: claims the notification, calls the carrier, records the outcome. */
export function createSender(context: WorkerContext): (work: Work, delivery: Delivery) => Promise<void> {
  const { config, db, directory, carriers, metrics } = context
  const { SEND_CONCURRENCY, BULK_CONCURRENCY, EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY } = config
  const mostAtOnce = Math.max(SEND_CONCURRENCY, BULK_CONCURRENCY, EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY)
  const longestPaceMs = (1000 * mostAtOnce) / config.SEND_RATE
  const leaseMs = longestPaceMs + longestTurnMs + config.CARRIER_TIMEOUT + leaseMarginMs
  const policy: RetryPolicy = {
    retryDelaysMs: config.SEND_RETRY_DELAYS,
    unknownGraceMs: config.UNKNOWN_GRACE,
    random: Math.random,
  }
  const claims = createClaims(context, leaseMs)
  const pace = createPace(config.SEND_RATE)
  const throttles = { urgent: createThrottle(db, 'urgent'), bulk: createThrottle(db, 'bulk') }

  const putBack = async (claim: Claim, cause: 'circuit_open' | 'rate_limit' | 'late' | 'fault', afterMs: number) => {
    metrics.putBack(claim.channel, cause)
    await claims.putBack({ claim, afterMs, held: cause === 'circuit_open' })
    return false
  }

  /** Nobody was called yet: left to its lease the attempt would count as one that may have reached the recipient. */
  const putBackOnFault = (claim: Claim, lane: 'urgent' | 'bulk') => async (fault: unknown) => {
    await putBack(claim, 'fault', faultPauseMs + Math.random() * heldBackSpreadMs[lane])
    throw fault
  }

  const record = async (
    claim: Claim,
    provider: ListedProvider | null,
    answer: CarrierAnswer,
    otherProvider: boolean,
  ) => {
    const next = decideNext(answer, { lane: claim.lane, place: claim.round_attempts, otherProvider }, policy)
    await write(claim, provider, answer, next)
    return next.status === 'queued' && next.failsOver && next.afterMs === 0
  }

  const write = async (
    claim: Claim,
    provider: ListedProvider | null,
    answer: CarrierAnswer,
    next: Settlement['next'],
  ) => {
    if (answer.suppress) await suppressRecipient(context, claim, answer.suppress)
    await claims.settle({
      notificationId: claim.id,
      attemptNumber: claim.attempt_count,
      providerId: provider?.id ?? null,
      outcome: answer.outcome,
      code: answer.code,
      message: answer.message,
      providerMessageId: answer.providerMessageId,
      next,
    })
    if (next.status === 'sent') context.sentAttempts.add(claim.attempt_id)
    metrics.attempt(claim.channel, provider?.kind ?? 'none', answer.outcome)
    logAttempt(context, claim, answer, next, provider?.id ?? null)
  }

  /** Every provider is held back: the message looks again when one may be called, until it has waited for long enough. */
  const hold = async (claim: Claim, heldBackMs: number) => {
    if (claim.held_ms <= config.HOLD_LIMIT) {
      const spreadMs = heldBackSpreadMs[claim.lane === 'bulk' ? 'bulk' : 'urgent']
      return putBack(claim, 'circuit_open', heldBackMs + Math.random() * spreadMs)
    }
    await write(claim, null, heldTooLong, { status: 'failed', reason: heldTooLong.message!, retryable: true })
    return false
  }

  /** @returns whether another provider takes its turn at once */
  const attempt = async (claim: Claim, latestMs: number, span: Span): Promise<boolean> => {
    const { mode, tenant_id, application_id, channel } = claim
    const lane = claim.lane === 'bulk' ? 'bulk' : 'urgent'
    await pace.next()
    const onFault = putBackOnFault(claim, lane)
    const providers = await directory.providers.list(tenant_id, application_id, channel).catch(onFault)
    if (providers.length === 0) return record(claim, null, noProvider, false)
    const choice = chooseProvider(providers, new Set(claim.tried), (provider) => ({
      heldBackMs: carriers.heldBackMs(provider, mode),
      busy: carriers.isBusy(provider, mode),
    }))
    if ('heldBackMs' in choice) return hold(claim, choice.heldBackMs)
    const { provider, otherProvider } = choice
    // Test messages go to the sandbox: they use up nothing of the account's rate.
    if (provider.rateLimitPerSecond !== null && mode === 'live') {
      const againInMs = await throttles[lane].turn(provider.id, provider.rateLimitPerSecond)
      if (againInMs > 0) return putBack(claim, 'rate_limit', againInMs)
    }
    // Somebody else may think that this attempt was left behind before the carrier has answered.
    if (performance.now() > latestMs) return putBack(claim, 'late', 0)
    const answer = await callCarrier(context, claim, provider, span).catch(onFault)
    // Held back since it was chosen: no call was made.
    if (answer.code === heldBackCode) return hold(claim, carriers.heldBackMs(provider, mode))
    // No provider can help it, and none was called.
    if (answer === senderUnverified) return record(claim, null, answer, false)
    return record(claim, provider, answer, otherProvider)
  }

  return async ({ notification_id }, { span }) => {
    // What one provider refused goes to the next one in this same loop. It is also due at once in the table: after a crash in
    // between the scheduler brings it back, and the attempts tell which providers were tried.
    for (let again = true; again; ) {
      const latestMs = performance.now() + leaseMs - config.CARRIER_TIMEOUT - leaseMarginMs / 2
      const claim = await claims.take(notification_id)
      again = claim !== undefined && (await attempt(claim, latestMs, span))
    }
  }
}

/** The carrier knows what the recipient told it; a failure to write it down must not cost us the carrier's answer. */
async function suppressRecipient(
  { db, log }: WorkerContext,
  { id, tenant_id, channel, mode, recipient_index, recipient_masked }: Claim,
  reason: NonNullable<CarrierAnswer['suppress']>,
): Promise<void> {
  // The sandbox's recipients have told nobody anything.
  if (mode === 'test' || (channel !== 'sms' && channel !== 'email')) return
  try {
    await suppress(db.run, [
      { tenant_id, channel, recipient_index, recipient_masked, reason, source_notification_id: id },
    ])
    log.info({ notification_id: id, reason }, 'recipient suppressed')
  } catch (error) {
    log.error({ notification_id: id, reason, err: error }, 'a recipient could not be suppressed')
  }
}

/** One wide line for each attempt; neither the recipient nor the text is in it. */
function logAttempt(
  { log }: WorkerContext,
  claim: Claim,
  answer: CarrierAnswer,
  next: Settlement['next'],
  providerId: string | null,
): void {
  log.info(
    {
      notification_id: claim.id,
      attempt_id: claim.attempt_id,
      attempt: claim.attempt_count,
      channel: claim.channel,
      lane: claim.lane,
      provider_id: providerId,
      provider_message_id: answer.providerMessageId,
      outcome: answer.outcome,
      code: answer.code,
      next: next.status,
    },
    'attempt',
  )
}
