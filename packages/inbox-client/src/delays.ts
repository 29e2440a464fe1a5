/** A timer of more than 2^31 ms fires at once. */
const longestMs = 3_600_000

/** When to try again. */
export interface Delays {
  /** Bound of the first delay, in milliseconds. Default 1000; doubled with each attempt. */
  readonly baseMs?: number
  /** Bound of all delays, in milliseconds. Default 30,000. */
  readonly maxMs?: number
}

/**
 * The time until the next attempt, with full jitter: any time up to the bound, so that many clients do not return together.
 * @param leastMs what the server asked for (`retry:` or `Retry-After`), kept up to an hour; the jitter comes on top
 */
export function delayOf(
  attempt: number,
  leastMs: number,
  { baseMs = 1000, maxMs = 30_000 }: Delays = {},
  random: () => number = Math.random,
): number {
  return Math.min(leastMs, longestMs) + random() * Math.min(maxMs, baseMs * 2 ** attempt)
}

/** Waits; an abort or a browser that comes online again ends the wait. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      globalThis.removeEventListener?.('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    globalThis.addEventListener?.('online', end)
  })
}
