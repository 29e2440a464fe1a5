import { Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import type { GatewayMetrics } from '../metrics.ts'
import { createCounter } from './counter.ts'

/** Counts failed requests of unknown callers by address; successful ones are neither counted nor refused. */
export interface FailureLimit {
  /** Whether the address is over its limit. */
  isOver(address: string): boolean
  /** Counts a failed request. @throws Problem `rate_limited` beyond the limit */
  count(address: string): void
}

/** @param keyOf the Redis key of an address */
export function createFailureLimit(
  redis: Redis,
  metrics: GatewayMetrics,
  keyOf: (id: string) => string,
  perSecond: number,
): FailureLimit {
  const counter = createCounter(redis, keyOf)
  const idOf = (address: string) => `unknown ${address}`
  return {
    isOver: (address) => counter(idOf(address), 0).place >= perSecond,
    count(address) {
      const { place, resetMs } = counter(idOf(address), 1)
      if (place <= perSecond) return
      metrics.rateLimited('address')
      throw new Problem(
        'rate_limited',
        `Too many failed requests from this address (limit: ${perSecond} per second); check the credentials`,
        {
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(resetMs / 1000))) },
        },
      )
    },
  }
}
