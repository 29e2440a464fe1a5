import type { OutgoingHttpHeaders } from 'node:http'
import { Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import type { GatewayMetrics } from '../metrics.ts'
import { createCounter } from './counter.ts'

interface Limit {
  scope: 'key' | 'tenant'
  id: string
  perSecond: number
}

/** The limits of a caller; one object for all of its requests. */
export interface Limits {
  key: Limit
  tenant: Limit
  /** Value of the RateLimit-Policy header. */
  policy: string
}

/** Combines the limits of a caller and its tenant. */
export function limitsFor(key: Omit<Limit, 'scope'>, tenant: Omit<Limit, 'scope'>): Limits {
  return {
    key: { scope: 'key', ...key },
    tenant: { scope: 'tenant', ...tenant },
    policy: `"key";q=${key.perSecond};w=${windowSeconds}, "tenant";q=${tenant.perSecond};w=${windowSeconds}`,
  }
}

const windowSeconds = 1

/**
 * Counts requests against a caller's limits.
 * @returns the RateLimit headers (draft-ietf-httpapi-ratelimit-headers); throws `rate_limited` beyond a limit
 */
export function createAdmission(
  redis: Redis,
  metrics: GatewayMetrics,
  keyOf: (id: string) => string,
): (limits: Limits, requests?: number) => OutgoingHttpHeaders {
  const count = createCounter(redis, keyOf)
  const judge = ({ scope, id, perSecond }: Limit, requests: number) => {
    const { place, resetMs } = count(id, requests)
    const state = `"${scope}";r=${Math.max(perSecond - place, 0)};t=${secondsOf(resetMs)}`
    return { passed: place > perSecond, state, resetMs }
  }
  return (limits, requests = 1) => {
    const key = judge(limits.key, requests)
    // A caller beyond its own limit does not use up the tenant's.
    const tenant = key.passed ? undefined : judge(limits.tenant, requests)
    const state = tenant ? `${key.state}, ${tenant.state}` : key.state
    const headers = { 'RateLimit-Policy': limits.policy, RateLimit: state }
    const passed = key.passed ? limits.key : tenant?.passed ? limits.tenant : undefined
    if (!passed) return headers
    metrics.rateLimited(passed.scope)
    const who = passed.scope === 'key' ? 'caller' : 'tenant'
    throw new Problem(
      'rate_limited',
      `This ${who} may make ${passed.perSecond} requests per second; wait and try again`,
      {
        headers: { ...headers, 'Retry-After': String(secondsOf(key.passed ? key.resetMs : (tenant?.resetMs ?? 0))) },
      },
    )
  }
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
