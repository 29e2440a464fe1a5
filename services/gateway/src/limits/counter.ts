import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

/** Where a request stands among those of its window, counted over all replicas. */
export interface Place {
  place: number
  resetMs: number
}

interface Window {
  /** Requests of all replicas as Redis last told. */
  shared: number
  /** Requests counted here that Redis has not been told of. */
  untold: number
  endsAtMs: number
  telling: boolean
}

const windowMs = 1000
/** How often a replica tells Redis what it counted, at most. What others count meanwhile is not seen before. */
const tellEveryMs = 25
const maxWindows = 100_000

/**
 * Counts requests in windows of a second. Each replica counts at once by itself and tells Redis a moment later, many
 * requests in one command; with Redis away the own count goes on alone. Nobody ever waits for Redis. Counting none only looks.
 * @param keyOf the key in Redis of who is counted
 */
export function createCounter(
  redis: Redis,
  keyOf: (id: string) => string,
  now: () => number = () => performance.now(),
): (id: string, requests: number) => Place {
  // A full map forgets who has been quiet for longest, never who is calling now.
  const windows = new LRUCache<string, Window>({ max: maxWindows })

  const tell = async (id: string, window: Window) => {
    const told = window.untold
    try {
      const { total, leftMs } = await add(redis, keyOf(id), told)
      // The window may have ended while Redis answered.
      if (windows.peek(id) !== window) return
      window.shared = total
      window.untold -= told
      window.endsAtMs = Math.min(window.endsAtMs, now() + leftMs)
    } catch {
      // Redis is away, as its connection says in the log: what was counted stays with the own count.
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

/** Adds to the shared count of the window that runs in Redis, or begins one. */
async function add(redis: Redis, key: string, count: number): Promise<{ total: number; leftMs: number }> {
  const results = await redis.pipeline().set(key, 0, 'PX', windowMs, 'NX').incrby(key, count).pttl(key).exec()
  const failed = results?.find(([error]) => error)
  if (!results || failed) throw failed?.[0] ?? new Error('Redis gave no answer')
  const [total = 0, leftMs = windowMs] = [Number(results[1]?.[1]), Number(results[2]?.[1])]
  // The key ended between the two commands and was made without an end.
  if (leftMs < 0) await redis.pexpire(key, windowMs)
  return { total, leftMs: leftMs < 0 ? windowMs : leftMs }
}
