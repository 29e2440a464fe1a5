import type { OutgoingHttpHeaders } from 'node:http'
import { coalesce, Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { GatewayMetrics } from '../metrics.ts'

interface Limit {
  scope: 'key' | 'tenant'
  id: string
  perSecond: number
}

/** The limits that a caller's requests count against; one object for all of a caller's requests. */
export interface Limits {
  key: Limit
  tenant: Limit
  /** Value of the RateLimit-Policy header. */
  policy: string
}

/** Puts a caller's limits together. */
export function limitsFor(key: Omit<Limit, 'scope'>, tenant: Omit<Limit, 'scope'>): Limits {
  return {
    key: { scope: 'key', ...key },
    tenant: { scope: 'tenant', ...tenant },
    policy: `"key";q=${key.perSecond};w=${windowSeconds}, "tenant";q=${tenant.perSecond};w=${windowSeconds}`,
  }
}

/** The place of a request among those of the second, for each of its limits. */
interface Places {
  key: number
  tenant: number
  resetMs: number
}

const windowSeconds = 1

/**
 * Counts a request against its limits in Redis; with Redis down a local count takes over. Requests of the same moment are
 * counted with one command for each limit.
 * @returns the RateLimit headers of the answer (draft-ietf-httpapi-ratelimit-headers)
 */
export function createAdmission(
  redis: Redis,
  metrics: GatewayMetrics,
): (limits: Limits) => Promise<OutgoingHttpHeaders> {
  const options = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds, keyPrefix: 'limit' }
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(options),
  })
  const count = coalesce<Limits, Places>({
    maxBatch: 10_000,
    maxInFlight: 4,
    run: async (requests) => {
      const places = new Map<Limits, Places>()
      const counts = new Map<Limits, number>()
      for (const limits of requests) counts.set(limits, (counts.get(limits) ?? 0) + 1)
      await Promise.all(
        [...counts].map(async ([limits, requestCount]) => {
          const [key, tenant] = await Promise.all([
            consume(limiter, limits.key.id, requestCount),
            consume(limiter, limits.tenant.id, requestCount),
          ])
          places.set(limits, {
            key: key.consumedPoints - requestCount,
            tenant: tenant.consumedPoints - requestCount,
            resetMs: Math.max(key.msBeforeNext, tenant.msBeforeNext),
          })
        }),
      )
      return requests.map((limits) => {
        const next = places.get(limits)!
        next.key++
        next.tenant++
        return { ...next }
      })
    },
  })
  return async (limits) => {
    const places = await count(limits)
    const resetSeconds = Math.max(1, Math.ceil(places.resetMs / 1000))
    const left = ({ scope, perSecond }: Limit) =>
      `"${scope}";r=${Math.max(perSecond - places[scope], 0)};t=${resetSeconds}`
    const headers = { 'RateLimit-Policy': limits.policy, RateLimit: `${left(limits.key)}, ${left(limits.tenant)}` }
    const passed = [limits.key, limits.tenant].find(({ scope, perSecond }) => places[scope] > perSecond)
    if (!passed) return headers
    metrics.rateLimited(passed.scope)
    const who = passed.scope === 'key' ? 'caller' : 'tenant'
    throw new Problem(
      'rate_limited',
      `This ${who} may make ${passed.perSecond} requests a second; wait and try again`,
      {
        headers: { ...headers, 'Retry-After': String(resetSeconds) },
      },
    )
  }
}

/** Counts so many requests at once; never refuses, since each request is judged by its own place. */
async function consume(limiter: RateLimiterRedis, id: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(id, points)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}
