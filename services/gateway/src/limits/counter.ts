import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** The position of a request in its window, over all replicas. */
export interface Place {
  place: number
  resetMs: number
}

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
 * A count of 0 only reads.
 * @param keyOf the Redis key of a caller
 */
export function createCounter(
  redis: Redis,
  keyOf: (id: string) => string,
  now: () => number = () => performance.now(),
): (id: string, requests: number) => Place {
  // A full map drops the least recently active caller.
  // Not `max`: it reserves memory for all entries at once.
  const windows = new LRUCache<string, Window>({ maxSize: maxWindows, sizeCalculation: () => 1 })

  const tell = async (id: string, window: Window) => {
    const told = window.untold
    try {
      const { total, leftMs } = await add(redis, keyOf(id), told)
      // The window may have ended meanwhile.
      if (windows.peek(id) !== window) return
      window.shared = total
      window.untold -= told
      window.endsAtMs = Math.min(window.endsAtMs, now() + leftMs)
    } catch {
      // Redis is unavailable, which its connection logs; the local count continues.
    } finally {
      window.telling = false
    }
  }

  return (id, requests) => {
    const nowMs = now()
    let window = windows.get(id)
    if (!window || window.endsAtMs <= nowMs) {
      if (requests === 0) return { place: 0, resetMs: 0 }
      window = { shared: 0, untold: 0, endsAtMs: nowMs + windowMs, telling: false }
      windows.set(id, window)
    }
    window.untold += requests
    if (!window.telling && requests > 0) {
      window.telling = true
      setTimeout(tell, tellEveryMs, id, window)
    }
    return { place: window.shared + window.untold, resetMs: window.endsAtMs - nowMs }
  }
}

/** Adds to the shared count of the current window in Redis, or starts one. */
async function add(redis: Redis, key: string, count: number): Promise<{ total: number; leftMs: number }> {
  const results = await redis.pipeline().set(key, 0, 'PX', windowMs, 'NX').incrby(key, count).pttl(key).exec()
  const failed = results?.find(([error]) => error)
  if (!results || failed) throw failed?.[0] ?? new Error('Redis gave no answer')
  const [total = 0, leftMs = windowMs] = [Number(results[1]?.[1]), Number(results[2]?.[1])]
  // The key expired between the two commands and was recreated without an expiry.
  if (leftMs < 0) await redis.pexpire(key, windowMs)
  return { total, leftMs: leftMs < 0 ? windowMs : leftMs }
}
