import { createPseudonym } from '@notify/privacy'
import type { connectRedis } from '@notify/service-kit'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

/** What a send counts for. */
interface Counted {
  what: 'application' | 'country' | 'prefix'
  id: string
}

/** A limit per minute. */
export interface Limit extends Counted {
  perMinute: number
}

/** A send that was counted. */
export interface Taken {
  /** 0 within the limit, else milliseconds until there is room. */
  waitMs: number
  /** No longer counts a send that was refused. Not awaited, because the caller may hold a connection. */
  giveBack(): void
}

/** Counts a send against a limit, even one beyond it. */
export type Velocity = (limit: Limit) => Promise<Taken>

const windowSeconds = 60

/**
 * Counts in Redis over all replicas. Without Redis each replica counts by itself.
 * @param masterKey 32 bytes, the same in all replicas; Redis holds pseudonyms only
 */
export function createVelocity(redis: ReturnType<typeof connectRedis>, masterKey: Buffer): Velocity {
  const pseudonym = createPseudonym(masterKey)
  const keyOf = ({ what, id }: Counted) => pseudonym('otp limit', `${what} ${id}`)
  // Counts only, whatever the limit: a limiter for each value of a setting would stay for ever.
  const counting = { keyPrefix: 'otp', points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
  const limiter = new RateLimiterRedis({
    ...counting,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(counting),
  })
  return async (limit) => {
    const key = keyOf(limit)
    const started = performance.now()
    const { consumedPoints, msBeforeNext } = await limiter.consume(key)
    return {
      waitMs: consumedPoints > limit.perMinute ? Math.max(1, msBeforeNext) : 0,
      giveBack() {
        // After its window it would count as room in the next one.
        if (performance.now() < started + msBeforeNext) void limiter.reward(key)
      },
    }
  }
}
