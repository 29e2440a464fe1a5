import { Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import type { GatewayMetrics } from '../metrics.ts'
import { createCounter } from './counter.ts'

/**
 * Limits the requests of an address for pages that need no credentials. Every request counts, whether its link is valid or not.
 * @param keyOf the Redis key of an address
 */
export function createPageLimit(
  redis: Redis,
  metrics: GatewayMetrics,
  keyOf: (id: string) => string,
  perSecond: number,
): (address: string) => void {
  const counter = createCounter(redis, keyOf)
  return (address) => {
    const { place, resetMs } = counter(`page ${address}`, 1)
    if (place <= perSecond) return
    metrics.rateLimited('address')
    throw new Problem('rate_limited', `Too many requests from this address (limit: ${perSecond} per second)`, {
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(resetMs / 1000))) },
    })
  }
}
