import { setTimeout as delay } from 'node:timers/promises'
import { newId, type sendRequested } from '@notify/contracts'
import type { Delivery } from '@notify/messaging'
import { coalesce, type Span, SpanKind } from '@notify/service-kit'
import type { z } from 'zod'
import { payloadPlace } from '../accept/judge-candidate.ts'
import type { CarrierAnswer, Payload } from '../carriers/carrier.ts'
import type { WorkerContext } from '../context.ts'
import { type Claim, claimForSending, type Settlement, settleAttempts } from './attempt-store.ts'
import { decideNext, type RetryPolicy } from './decide-next.ts'
import { createPace } from './pace.ts'

type Work = z.output<typeof sendRequested.schema>

/** A worker's lease outlasts every carrier call; what is older was left behind by a crash. */
const leaseMarginMs = 5000
const batch = { maxBatch: 128, maxInFlight: 2, minIntervalMs: 10 }

/** Handles the work of a lane: claims the notification, calls the carrier, records the outcome. */
export function createSender(context: WorkerContext): (work: Work, delivery: Delivery) => Promise<void> {
  const { config, db } = context
  const { SEND_CONCURRENCY, BULK_CONCURRENCY, EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY } = config
  const mostAtOnce = Math.max(SEND_CONCURRENCY, BULK_CONCURRENCY, EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY)
  const longestPaceMs = (1000 * mostAtOnce) / config.SEND_RATE
  const leaseMs = longestPaceMs + config.CARRIER_TIMEOUT + leaseMarginMs
  const policy: RetryPolicy = {
    retryDelaysMs: config.SEND_RETRY_DELAYS,
    unknownGraceMs: config.UNKNOWN_GRACE,
    random: Math.random,
  }
  const claim = coalesce<{ id: string; attempt_id: string }, Claim | undefined>({
    ...batch,
    async run(wanted) {
      const claims = await claimForSending(db, wanted, leaseMs / 1000)
      const byAttempt = new Map(claims.map((one) => [one.attempt_id, one]))
      return wanted.map(({ attempt_id }) => byAttempt.get(attempt_id))
    },
  })
  const settle = coalesce<Settlement, undefined>({
    ...batch,
    async run(settlements) {
      // What the carrier said is known here alone: it is worth more than one try to write it down.
      await persistently(() => settleAttempts(db, settlements), leaseMs)
      context.wakeOutbox()
      return settlements.map(() => undefined)
    },
  })
  const pace = createPace(config.SEND_RATE)
  return async ({ notification_id }, { span }) => {
    const claimed = await claim({ id: notification_id, attempt_id: newId('att') })
    // Sent already, or being sent, or not due: a second delivery of the same work, which takes nobody's turn.
    if (!claimed) return
    await pace.next()
    const { providerId, kind, answer } = await callCarrier(context, claimed, span)
    const next = decideNext(answer, claimed.lane, claimed.round_attempts, policy)
    await settle({
      notificationId: claimed.id,
      attemptNumber: claimed.attempt_count,
      providerId,
      outcome: answer.outcome,
      code: answer.code,
      message: answer.message,
      providerMessageId: answer.providerMessageId,
      next,
    })
    context.metrics.attempt(claimed.channel, kind, answer.outcome)
    logAttempt(context, claimed, answer, next, providerId)
  }
}

const longestPauseMs = 1000

/** Tries again until it succeeds or the time is over; the last failure is thrown. */
async function persistently(work: () => Promise<void>, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() + pauseMs > until) throw error
      await delay(pauseMs)
    }
  }
}

async function callCarrier(
  { directory, secrets, carriers, tracer, metrics }: WorkerContext,
  claim: Claim,
  parent: Span,
): Promise<{ providerId: string | null; kind: string; answer: CarrierAnswer }> {
  const providers = await directory.providers.list(claim.tenant_id, claim.application_id, claim.channel)
  if (providers.length === 0) return { providerId: null, kind: 'none', answer: noProvider }
  const payload: Payload = JSON.parse(secrets.keyRing.decrypt(claim.payload, payloadPlace(claim.tenant_id, claim.id)))
  let last: { providerId: string; kind: string; answer: CarrierAnswer } | undefined
  for (const provider of providers) {
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
    last = { providerId: provider.id, kind: provider.kind, answer }
    // Only an account that is known not to have taken the message, and is broken as a whole, hands over to the next one.
    if (answer.code !== 'circuit_open') return last
  }
  return last!
}

const noProvider: CarrierAnswer = {
  outcome: 'rejected_retryable',
  code: 'provider_not_configured',
  message: 'No provider is configured for this channel any more',
  providerMessageId: null,
  retryAfterMs: null,
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
