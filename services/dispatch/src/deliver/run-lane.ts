import { type Kit, SpanKind, withLogFields } from '@notify/service-kit'
import type { LaneSettings } from '../channels/channel.ts'
import type { Claim } from './claim/claim-store.ts'
import type { LaneOf } from './queues/queue-store.ts'
import { nameOf, type Pick, type QueueKey, type SendQueue, SendQueues } from './queues/send-queues.ts'
import { createSender, type SendContext, type Verdict } from './send-notification.ts'
import type { BulkBrake } from './throttle/bulk-brake.ts'
import { createLaneUsage } from './throttle/lane-usage.ts'
import { createPace } from './throttle/pace.ts'
import { createPause } from './throttle/pause.ts'

/** The pause between two claims of the same queues, so that one statement claims the messages that arrive meanwhile. */
const gatherMs = 20
/** The pause between claims while Postgres does not answer. */
const faultPauseMs = 500
/** Interval of the warning about an outage. */
const warnEveryMs = 10_000

/** Sends the messages of a lane of a channel. */
export interface LaneRunner {
  lane: LaneOf
  /** These queues may have messages that are due, new ones or since a time. */
  wake(keys: readonly (QueueKey & { enqueued_at?: Date })[]): void
  /** The share of the lane's rate that the last seconds used, 0 to 1. */
  utilization(): number
}

/**
 * Claims the messages of a lane, its queues in turns, and sends them. A queue whose providers cannot be called sleeps. Then
 * it sends one message, and one more for each that a carrier answers. Registers its stop.
 */
export function runLane(
  kit: Kit,
  context: SendContext,
  lane: LaneOf,
  { concurrency, ratePerSecond }: LaneSettings,
  brake: BulkBrake,
): LaneRunner {
  const pace = createPace(ratePerSecond, lane.lane === 'bulk' ? { slowdown: brake.slowdown } : {})
  const queues = new SendQueues(concurrency)
  // Not only at the lane's own stop: the stops before it may take longer than the process has.
  const isStopping = () => kit.lifecycle.stopping
  const sender = createSender(context, lane, isStopping)
  const usage = createLaneUsage(ratePerSecond)
  const pause = createPause()
  const underWay = new Set<Promise<void>>()
  let isNotified = false
  let turnAtMs = 0
  let warnedAtMs = Number.NEGATIVE_INFINITY

  const notify = () => {
    isNotified = true
    pause.check()
  }

  const warnOfOutage = (err: unknown, message: string) => {
    if (performance.now() - warnedAtMs <= warnEveryMs) return
    warnedAtMs = performance.now()
    kit.log.warn({ ...lane, err }, message)
  }

  const send = async (claim: Claim, queue: SendQueue) => {
    const parent = claim.traceparent ?? undefined
    const span = kit.tracer.start(`send ${lane.lane} ${lane.channel}`, { parent, kind: SpanKind.CONSUMER })
    let fault: unknown
    try {
      const verdict = await sender.send(claim, span)
      applyVerdict(queue, claim, verdict)
      if ('fault' in verdict) warnOfOutage(verdict.fault, 'messages could not be sent; they will be tried again')
    } catch (error) {
      fault = error
      kit.log.warn({ err: error }, 'a message could not be sent; it will be tried again')
    } finally {
      span.end(fault)
      queues.release(queue)
      notify()
    }
  }

  const start = (claim: Claim, queue: SendQueue) => {
    const { tenant_id, id: notification_id, traceparent } = claim
    const task = withLogFields({ tenant_id, notification_id, traceparent }, () => send(claim, queue))
    underWay.add(task)
    void task.finally(() => underWay.delete(task))
  }

  /** Claims messages of the picked queues and starts sending them. @returns how many it claimed */
  const claim = async (picks: readonly Pick[]): Promise<number> => {
    const { claims, refused } = await sender.claim(
      picks.map(({ queue: { key, since }, most }) => ({ key, most, since })),
    )
    const byQueue = Map.groupBy(claims, nameOf)
    for (const pick of picks) {
      const own = byQueue.get(nameOf(pick.queue.key)) ?? []
      // The claim ended messages instead of returning them, so more may be due.
      if (refused > 0) pick.queue.wake()
      queues.claimed(pick, own.length)
      for (const one of own) start(one, pick.queue)
    }
    return claims.length
  }

  /** Postgres does not answer: claims from the picked queues later. */
  const retryLater = async (picks: readonly Pick[], fault: unknown) => {
    for (const pick of picks) {
      // The outage may last longer than a claim for new messages reaches back.
      pick.queue.wake('earliest')
      queues.claimed(pick, 0)
    }
    warnOfOutage(fault, 'messages could not be claimed; this will be tried again')
    await pause.forMs(faultPauseMs, isStopping)
  }

  const loop = async () => {
    while (!isStopping()) {
      isNotified = false
      const nowMs = performance.now()
      const available = pace.available()
      // A queue with a backlog waits for the next turn of the pace; a queue without one sends on credit.
      const tokens = nowMs >= turnAtMs ? available : Math.min(available, 0)
      const picks = queues.choose({ nowMs, tokens, credit: pace.credit })
      if (picks.length === 0) {
        const turnInMs = queues.waitsForTokens(nowMs) ? pace.nextTurnInMs() : Number.POSITIVE_INFINITY
        await pause.forMs(Math.min(turnInMs, queues.nextWakeMs(nowMs) - nowMs), () => isNotified)
        continue
      }
      const wanted = picks.reduce((sum, { most }) => sum + most, 0)
      // Before the claim: what becomes available meanwhile is more than a turn's worth, and would be lost.
      pace.take(wanted)
      const left = pace.available()
      const nextTurnAtMs = nowMs + pace.nextTurnInMs()
      try {
        const begun = await claim(picks)
        pace.giveBack(wanted - begun)
        if (left + wanted - begun < 1) turnAtMs = nextTurnAtMs
        usage.add(begun)
      } catch (fault) {
        pace.giveBack(wanted)
        await retryLater(picks, fault)
        continue
      }
      const served = new Set(picks.map(({ queue }) => queue))
      await pause.forMs(
        nowMs + gatherMs - performance.now(),
        () => isStopping() || queues.hasNewcomer(performance.now(), served),
      )
    }
  }

  const running = loop()
  kit.lifecycle.onStop(`lane ${lane.lane} ${lane.channel}`, async () => {
    notify()
    await running
    await Promise.allSettled(underWay)
  })
  return {
    lane,
    utilization: usage.share,
    wake(keys) {
      if (keys.length === 0) return
      for (const { enqueued_at, ...key } of keys) queues.of(key).wake(enqueued_at)
      notify()
    },
  }
}

function applyVerdict(queue: SendQueue, { enqueued_at }: Claim, verdict: Verdict): void {
  const nowMs = performance.now()
  if (verdict.kind === 'answered') queue.widen(nowMs)
  else if (verdict.kind === 'again') queue.putBack(enqueued_at)
  // After a rate limit the window is the number of other messages in hand; after an open circuit breaker it is one.
  else queue.sleep(nowMs, verdict.forMs, verdict.kind === 'rate_limited' ? queue.inHand - 1 : 1, enqueued_at)
}
