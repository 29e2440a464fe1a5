import { createPseudonym } from '@notify/privacy'
import type { connectRedis } from '@notify/service-kit'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

/** Counts a send against a limit per minute. @returns 0 within the limit, else milliseconds until there is room */
export type Velocity = (what: string, id: string, perMinute: number) => Promise<number>

const windowSeconds = 60

/**
 * Counts in Redis over all replicas. Without Redis each replica counts by itself.
 * @param masterKey 32 bytes, the same in all replicas; Redis holds pseudonyms only
 */
export function createVelocity(redis: ReturnType<typeof connectRedis>, masterKey: Buffer): Velocity {
  const pseudonym = createPseudonym(masterKey)
  // Counts only, whatever the limit: a limiter for each value of a setting would stay for ever.
  const counting = { keyPrefix: 'otp', points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
  const limiter = new RateLimiterRedis({
    ...counting,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(counting),
  })
  return async (what, id, perMinute) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(pseudonym('otp limit', `${what} ${id}`))
    return consumedPoints > perMinute ? Math.max(1, msBeforeNext) : 0
  }
}
