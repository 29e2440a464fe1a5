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

/** The limits that a caller's requests count against. */
export type Limits = readonly [Limit, Limit]

interface Usage {
  /** The place of this request among those of the second. */
  place: number
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
  const count = coalesce<Limits, [Usage, Usage]>({
    maxBatch: 10_000,
    maxInFlight: 4,
    run: async (requests) => {
      const usages = await countTogether(limiter, requests.flat())
      return requests.map((_, index): [Usage, Usage] => [usages[index * 2]!, usages[index * 2 + 1]!])
    },
  })
  return async (limits) => {
    const usages = await count(limits)
    const policy = limits.map(({ scope, perSecond }) => `"${scope}";q=${perSecond};w=${windowSeconds}`).join(', ')
    const state = limits.map(({ scope, perSecond }, index) => {
      const { place, resetMs } = usages[index]!
      return `"${scope}";r=${Math.max(perSecond - place, 0)};t=${Math.ceil(resetMs / 1000)}`
    })
    const headers = { 'RateLimit-Policy': policy, RateLimit: state.join(', ') }
    const passed = limits.findIndex(({ perSecond }, index) => usages[index]!.place > perSecond)
    if (passed === -1) return headers
    const { scope, perSecond } = limits[passed]!
    metrics.rateLimited(scope)
    throw new Problem(
      'rate_limited',
      `This ${scope === 'key' ? 'caller' : 'tenant'} may make ${perSecond} requests a second; wait and try again`,
      {
        headers: { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(usages[passed]!.resetMs / 1000))) },
      },
    )
  }
}

/** Consumes all of one limit's requests at once and gives each its place. */
async function countTogether(limiter: RateLimiterRedis, limits: readonly Limit[]): Promise<Usage[]> {
  const indexesById = Map.groupBy(limits.keys(), (index) => limits[index]!.id)
  const usages = new Array<Usage>(limits.length)
  await Promise.all(
    [...indexesById].map(async ([id, indexes]) => {
      const result = await limiter.consume(id, indexes.length).catch((error: unknown) => {
        if (error instanceof RateLimiterRes) return error
        throw error
      })
      const first = result.consumedPoints - indexes.length
      indexes.forEach((index, offset) => {
        usages[index] = { place: first + offset + 1, resetMs: result.msBeforeNext }
      })
    }),
  )
  return usages
}
