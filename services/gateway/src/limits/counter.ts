import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** The position of a request in its window, over all replicas. */
export interface WindowPosition {
  place: number
  resetMs: number
}

/**
 * Counts requests. A count of 0 only reads.
 * @param perSecond the limit: an excess of one window delays the next window by the time that it takes at this rate
 */
export type Count = (id: string, requests: number, perSecond?: number) => WindowPosition

interface Window {
  /** Requests of all replicas, as last reported by Redis. */
  shared: number
  /** Requests counted here and not yet sent to Redis. */
  untold: number
  endsAtMs: number
  telling: boolean
}

const windowMs = 1000
/** Interval of updates to Redis; other replicas' counts are at most this old. */
const tellEveryMs = 25
const maxWindows = 100_000

/**
 * Counts requests in one-second windows: locally at once, and in Redis a moment later, without waiting for it.
 * @param keyOf the Redis key of a caller
 */
export function createCounter(
  redis: Redis,
  keyOf: (id: string) => string,
  now: () => number = () => performance.now(),
): Count {
  // A full map drops the least recently active caller.
  // Not `max`: it reserves memory for all entries at once.
  const windows = new LRUCache<string, Window>({ maxSize: maxWindows, sizeCalculation: () => 1 })

  const tell = async (id: string, window: Window, perSecond: number) => {
    const told = window.untold
    try {
      const { total, leftMs } = await add(redis, keyOf(id), told, perSecond)
      // The window may have ended meanwhile.
      if (windows.peek(id) !== window) return
      window.shared = total
      window.untold -= told
      const endsAtMs = now() + leftMs
      window.endsAtMs = total > perSecond ? endsAtMs : Math.min(window.endsAtMs, endsAtMs)
    } catch {
      // Redis is unavailable, which its connection logs; the local count continues.
    } finally {
      window.telling = false
    }
  }

  return (id, requests, perSecond = Number.POSITIVE_INFINITY) => {
    const nowMs = now()
    let window = windows.get(id)
    if (!window || window.endsAtMs <= nowMs) {
      if (requests === 0) return { place: 0, resetMs: 0 }
      window = { shared: 0, untold: 0, endsAtMs: nowMs + windowMs, telling: false }
      windows.set(id, window)
    }
    window.untold += requests
    const place = window.shared + window.untold
    window.endsAtMs += overdraftMs(place, requests, perSecond)
    if (!window.telling && requests > 0) {
      window.telling = true
      setTimeout(tell, tellEveryMs, id, window, perSecond)
    }
    // Sums of fractions are not exact: a second could be reported as two.
    return { place, resetMs: Math.round(window.endsAtMs - nowMs) }
  }
}

/** The time that the last requests of a window take at the limit, as far as they exceed it. */
function overdraftMs(total: number, last: number, perSecond: number): number {
  if (total <= perSecond) return 0
  return (Math.min(last, total - perSecond) / perSecond) * windowMs
}

/** Adds to the shared count of the current window in Redis, or starts one. */
async function add(
  redis: Redis,
  key: string,
  count: number,
  perSecond: number,
): Promise<{ total: number; leftMs: number }> {
  const results = await redis.pipeline().set(key, 0, 'PX', windowMs, 'NX').incrby(key, count).pttl(key).exec()
  const failed = results?.find(([error]) => error)
  if (!results || failed) throw failed?.[0] ?? new Error('Redis gave no answer')
  const total = Number(results[1]?.[1] ?? 0)
  const pttl = Number(results[2]?.[1] ?? windowMs)
  const extraMs = overdraftMs(total, count, perSecond)
  // Without one, the key expired between the two commands and was made again without an expiry.
  const leftMs = Math.ceil((pttl < 0 ? windowMs : pttl) + extraMs)
  if (pttl < 0 || extraMs > 0) await redis.pexpire(key, leftMs)
  return { total, leftMs }
}
