import { setTimeout as delay } from 'node:timers/promises'
import type { ExchangeError } from './exchange.ts'

/** Delays before a request is repeated. */
const repeatAfterMs = [10, 50, 100, 200, 400]
/** Repetitions of a request that may have been received: it may be what ends the called process. */
const mostBegun = 2

interface Repeating {
  /** Whether the called service may process the request twice. */
  idempotent: boolean
  /** Total timeout, in milliseconds. */
  timeoutMs: number
}

/**
 * Repeats a request that was lost with its connection: always when it never left, else when it is idempotent. Timeouts and
 * errors that are no {@link ExchangeError} are not repeated.
 * @param send gets the remaining time
 */
export async function repeatLost<T>(
  send: (leftMs: number) => Promise<T>,
  { idempotent, timeoutMs }: Repeating,
): Promise<T> {
  const untilMs = performance.now() + timeoutMs
  let begun = 0
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(attempt === 0 ? timeoutMs : untilMs - performance.now())
    } catch (error) {
      const { code, hasLeft } = error as Partial<ExchangeError>
      const waitMs = repeatAfterMs[attempt]
      if (waitMs === undefined || performance.now() + waitMs >= untilMs) throw error
      if (hasLeft === undefined) throw error
      if (hasLeft && (!idempotent || code === 'ETIMEDOUT' || begun++ === mostBegun)) throw error
      await delay(waitMs)
    }
  }
}
