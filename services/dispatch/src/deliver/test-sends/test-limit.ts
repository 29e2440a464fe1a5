import { Problem } from '@notify/service-kit'

const minuteMs = 60_000

/** @throws Problem `rate_limited` when the tenant has sent as many test messages in the last minute as it may */
export type RequireTestRoom = (tenantId: string) => void

/** @param perMinute test messages of one tenant through this process */
export function createTestLimit(perMinute: number, nowMs: () => number = () => performance.now()): RequireTestRoom {
  const sent = new Map<string, number[]>()
  return (tenantId) => {
    const since = nowMs() - minuteMs
    for (const [tenant, times] of sent) if (times.at(-1)! <= since) sent.delete(tenant)
    const recent = (sent.get(tenantId) ?? []).filter((at) => at > since)
    if (recent.length < perMinute) return void sent.set(tenantId, [...recent, nowMs()])
    const seconds = Math.max(1, Math.ceil((recent[0]! - since) / 1000))
    throw new Problem('rate_limited', `At most ${perMinute} test messages are sent in a minute; wait and try again`, {
      headers: { 'Retry-After': String(seconds) },
    })
  }
}
