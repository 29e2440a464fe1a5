import type { OutgoingHttpHeaders } from 'node:http'
import { Problem } from '@notify/service-kit'
import type { Redis } from 'ioredis'
import type { GatewayMetrics } from '../metrics.ts'
import { createCounter } from './counter.ts'
import type { ReportRefusal } from './report-refusals.ts'

interface Limit {
  scope: 'key' | 'tenant'
  id: string
  perSecond: number
}

/** The limits of a caller; one object for all of its requests. */
export interface Limits {
  tenantId: string
  key: Limit
  tenant: Limit
  /** Value of the RateLimit-Policy header. */
  policy: string
}

/** Combines the limits of a caller and its tenant. */
export function limitsFor(tenantId: string, key: Omit<Limit, 'scope'>, tenant: Omit<Limit, 'scope'>): Limits {
  return {
    tenantId,
    key: { scope: 'key', ...key },
    tenant: { scope: 'tenant', ...tenant },
    policy: `"key";q=${key.perSecond};w=${windowSeconds}, "tenant";q=${tenant.perSecond};w=${windowSeconds}`,
  }
}

const windowSeconds = 1

export interface Admission {
  /**
   * Admits a request while its caller and tenant have any of their limits left; it may use more than is left.
   * @param requests the number that it counts as
   * @returns the RateLimit headers (draft-ietf-httpapi-ratelimit-headers)
   * @throws Problem `rate_limited` when a limit is used up; such a request is not counted
   */
  admit(limits: Limits, requests: number): OutgoingHttpHeaders
  /** Counts further requests of an admitted call. @returns the RateLimit headers */
  charge(limits: Limits, requests: number): OutgoingHttpHeaders
}

interface AdmissionOptions {
  metrics: GatewayMetrics
  /** The Redis key of a caller. */
  keyOf: (id: string) => string
  reportRefusal: ReportRefusal
}

/** Counts requests against the limits of callers. */
export function createAdmission(redis: Redis, { metrics, keyOf, reportRefusal }: AdmissionOptions): Admission {
  const count = createCounter(redis, keyOf)
  const stateOf = ({ scope, id, perSecond }: Limit, requests: number) => {
    const { place, resetMs } = count(id, requests, perSecond)
    return `"${scope}";r=${Math.max(perSecond - place, 0)};t=${secondsOf(resetMs)}`
  }
  const headersOf = ({ policy }: Limits, ...states: string[]) => ({
    'RateLimit-Policy': policy,
    RateLimit: states.join(', '),
  })
  const charge: Admission['charge'] = (limits, requests) =>
    headersOf(limits, stateOf(limits.key, requests), stateOf(limits.tenant, requests))
  const requireRoom = (limits: Limits, { scope, id, perSecond }: Limit, who: string) => {
    const { place, resetMs } = count(id, 0)
    if (place < perSecond) return
    metrics.rateLimited(scope)
    metrics.tenantRefused(limits.tenantId)
    reportRefusal(limits.tenantId)
    const waitSeconds = secondsOf(resetMs)
    throw new Problem('rate_limited', `This ${who} may make ${perSecond} requests per second; wait and try again`, {
      headers: { ...headersOf(limits, `"${scope}";r=0;t=${waitSeconds}`), 'Retry-After': String(waitSeconds) },
    })
  }
  return {
    admit(limits, requests) {
      requireRoom(limits, limits.key, 'caller')
      requireRoom(limits, limits.tenant, 'tenant')
      return charge(limits, requests)
    },
    charge,
  }
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
