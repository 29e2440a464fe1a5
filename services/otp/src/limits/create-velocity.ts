import { createPseudonym } from '@notify/privacy'
import type { connectRedis } from '@notify/service-kit'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Counts a send against a limit per minute. @returns 0 within the limit, else milliseconds until there is room */
export type Velocity = (what: string, id: string, perMinute: number) => Promise<number>

const windowSeconds = 60

/**
 * Counts in Redis over all replicas. Without Redis each replica counts by itself.
 * @param masterKey 32 bytes, the same in all replicas; Redis holds pseudonyms only
 */
export function createVelocity(redis: ReturnType<typeof connectRedis>, masterKey: Buffer): Velocity {
  const pseudonym = createPseudonym(masterKey)
  const limiters = new Map<number, RateLimiterRedis>()
  const limiterOf = (points: number) => {
    const known = limiters.get(points)
    if (known) return known
    const made = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: 'otp',
      points,
      duration: windowSeconds,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: 'otp', points, duration: windowSeconds }),
    })
    limiters.set(points, made)
    return made
  }
  return async (what, id, perMinute) => {
    try {
      await limiterOf(perMinute).consume(pseudonym('otp limit', `${what} ${id}`))
      return 0
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext)
      throw refusal
    }
  }
}
