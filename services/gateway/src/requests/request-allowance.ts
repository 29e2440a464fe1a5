import { LRUCache } from 'lru-cache'

/** Requests of a tenant that are stored at once after a pause. */
const burst = 60
const mostTenants = 10_000

/** Whether one more request of a tenant is stored: a token bucket of each tenant, and one more for its refusals. */
export type RequestAllowance = (tenantId: string, isRefused: boolean) => boolean

/** @param perSecond requests stored per second beyond the burst */
export function createRequestAllowance(
  perSecond: number,
  nowMs: () => number = () => performance.now(),
): RequestAllowance {
  const buckets = new LRUCache<string, { left: number; atMs: number }>({ max: mostTenants })
  return (tenantId, isRefused) => {
    const key = isRefused ? `${tenantId} refused` : tenantId
    const now = nowMs()
    const bucket = buckets.get(key) ?? { left: burst, atMs: now }
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.atMs) / 1000) * perSecond)
    bucket.atMs = now
    buckets.set(key, bucket)
    if (bucket.left < 1) return false
    bucket.left -= 1
    return true
  }
}
