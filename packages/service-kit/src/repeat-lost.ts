import { setTimeout as delay } from 'node:timers/promises'
import type { ExchangeError } from './exchange.ts'

/** Delays before a request is repeated. */
const repeatAfterMs = [10, 50, 100, 200, 400]
/** Maximum repetitions of a request that may have been received, because it may itself crash the called process. */
const mostBegun = 2

interface Repeating {
  /** Whether the called service may process the request twice. */
  idempotent: boolean
  /** Total timeout, in milliseconds. */
  timeoutMs: number
}

/**
 * Repeats a request that was lost with its connection, if it was never sent or is idempotent. After timeouts and errors
 * other than {@link ExchangeError} it is not repeated.
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
      const lost = error as Partial<ExchangeError>
      if (lost.hasLeft === undefined) throw error
      const mayRepeat = !lost.hasLeft || (idempotent && lost.code !== 'ETIMEDOUT' && begun < mostBegun)
      if (lost.hasLeft) begun += 1
      // An earlier attempt may have taken effect.
      lost.hasLeft = begun > 0
      const waitMs = repeatAfterMs[attempt]
      if (!mayRepeat || waitMs === undefined || performance.now() + waitMs >= untilMs) throw error
      await delay(waitMs)
    }
  }
}
