import { Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import type { GatewayMetrics } from '../metrics.ts'
import { createCounter } from './counter.ts'

/** Counts failed calls of those who are not known, by address; calls that succeed are neither counted nor refused. */
export interface FailureLimit {
  /** Whether the address is past its limit now. */
  isOver(address: string): boolean
  /** Counts a failed call. @throws Problem `rate_limited` past the limit */
  count(address: string): void
}

/** @param keyOf the key in Redis of an address */
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
      throw new Problem('rate_limited', `An address may fail ${perSecond} times a second; check the credentials`, {
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(resetMs / 1000))) },
      })
    },
  }
}
