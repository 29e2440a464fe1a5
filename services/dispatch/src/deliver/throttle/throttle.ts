import { setTimeout as delay } from 'node:timers/promises'
import type { Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import { makeSlots } from './make-slots.ts'
import { longestTurnMs, type Reach, type Reserved, reserveSlots, sharedPart } from './slot-store.ts'

/** Limits the sends to each provider to its rate, over all replicas. */
export interface Throttle {
  /**
   * Waits until the send may begin, if that is soon enough.
   * @returns 0 if the send may begin; otherwise the milliseconds after which to try again
   */
  turn(providerId: string, perSecond: number): Promise<number>
}

type Turn = { startsInMs: number } | { againInMs: number }

/**
 * Bulk lanes reserve just far enough ahead to use the limit fully, although sends that were put off ask again only a few
 * times a second. Urgent lanes reserve further ahead.
 */
const reaches: Record<'urgent' | 'bulk', Reach> = {
  urgent: { nearMs: 100, keptMs: longestTurnMs },
  bulk: { nearMs: 400 },
}

/** Sends that were put off ask again in this last part of their reach: seldom, and before the slot begins. */
const askAheadShare = 0.25

/** Share of the rate that each worker uses while Postgres does not respond. */
const aloneShare = 0.25

/**
 * One statement reserves the slots of all sends that arrive while the last one runs, so a limit costs a message little.
 * @param lane bulk lanes leave a part of each rate to urgent lanes
 * @param wait waits for a slot
 */
export function createThrottle(
  db: Queries,
  lane: 'urgent' | 'bulk',
  wait: (ms: number) => Promise<unknown> = delay,
): Throttle {
  const reach = reaches[lane]
  const alone = new Map<string, number>()
  const take = coalesce<{ providerId: string; perSecond: number }, Turn>({
    maxBatch: 128,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(sends) {
      const byProvider = Map.groupBy(sends, ({ providerId }) => providerId)
      const wanted = [...byProvider].map(([provider_id, list]) => ({
        provider_id,
        count: list.length,
        per_second: list[0]!.perSecond,
      }))
      const reserved = await reserveAll(db, wanted, reach).catch(() => [])
      const mostAheadMs = askAheadShare * (reach.keptMs ?? reach.nearMs)
      const turns = new Map<string, Generator<Turn, never>>(
        reserved.map((one) => [one.provider_id, turnsOf(one, mostAheadMs * Math.random())]),
      )
      const nowMs = performance.now()
      return sends.map(
        ({ providerId, perSecond }): Turn =>
          turns.get(providerId)?.next().value ?? aloneTurn(alone, providerId, perSecond * aloneShare, nowMs),
      )
    },
  })
  return {
    async turn(providerId, perSecond) {
      const turn = await take({ providerId, perSecond })
      if ('againInMs' in turn) return turn.againInMs
      if (turn.startsInMs > 0) await wait(turn.startsInMs)
      return 0
    },
  }
}

type Wants = Parameters<typeof reserveSlots>[1]

async function reserveAll(db: Queries, wanted: Wants, reach: Reach): Promise<Reserved[]> {
  const reserved = await reserveSlots(db, wanted, reach)
  if (reserved.length === wanted.length) return reserved
  const known = new Set<string>(reserved.map(({ provider_id }) => provider_id))
  const unknown = wanted.filter(({ provider_id }) => !known.has(provider_id))
  await makeSlots(
    db,
    unknown.map(({ provider_id }) => provider_id),
  )
  return [...reserved, ...(await reserveSlots(db, unknown, reach))]
}

/**
 * The reserved slots in order of time, then when the other sends ask again: `aheadMs` before the next slot. It is within
 * their reach by then. The first to ask gets it, so queues that share the account must not always ask in the same order.
 */
function* turnsOf(reserved: Reserved, aheadMs: number): Generator<Turn, never> {
  const { shared, shared_in_ms, kept, kept_in_ms, next_in_ms, every_ms } = reserved
  const keptEveryMs = (every_ms * sharedPart) / (1 - sharedPart)
  const starts = [
    ...Array.from({ length: shared }, (_, index) => shared_in_ms + index * every_ms),
    ...Array.from({ length: kept }, (_, index) => kept_in_ms + index * keptEveryMs),
  ].sort((a, b) => a - b)
  for (const startsInMs of starts) yield { startsInMs }
  for (;;) yield { againInMs: next_in_ms - aheadMs }
}

/** A slot by the clock of this worker alone. */
function aloneTurn(clocks: Map<string, number>, providerId: string, perSecond: number, nowMs: number): Turn {
  const startsAtMs = Math.max(clocks.get(providerId) ?? 0, nowMs)
  const startsInMs = startsAtMs - nowMs
  if (startsInMs > longestTurnMs) return { againInMs: startsInMs }
  clocks.set(providerId, startsAtMs + 1000 / perSecond)
  return { startsInMs }
}
