import { type listFailures as contract, type FailureGroup, failurePeriods } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { readFailures } from './failure-store.ts'

const bucketMs = { hour: 3_600_000, day: 86_400_000 }
const mostGroups = 100

/** The most frequent failures of the tenant, with their trend. */
export const listFailures: Handler<Context, typeof contract> = async ({ db }, { query, principal }) => {
  const { period, channel, provider_id: providerId, mode } = query
  const count = failurePeriods[period]
  const bucket = period === '24h' ? 'hour' : 'day'
  const to = (Math.floor(Date.now() / bucketMs[bucket]) + 1) * bucketMs[bucket]
  const from = to - count * bucketMs[bucket]
  const rows = await readFailures(db.run, {
    ...{ tenantId: principal.tenant_id, from: new Date(from - count * bucketMs[bucket]), to: new Date(to) },
    ...{ bucket, channel, providerId, mode },
  })
  const groups = new Map<string, FailureGroup>()
  for (const { provider_id, name, kind, channel, code, starts_at, failures, last_at, reason } of rows.toReversed()) {
    const key = `${provider_id} ${channel} ${code}`
    const group = groups.get(key) ?? {
      ...{ provider_id, provider_name: name, kind, channel, code, meaning: null },
      ...{ failures: 0, failures_before: 0, buckets: new Array<number>(count).fill(0), last_at: '' },
    }
    groups.set(key, group)
    group.last_at = last_at.toISOString()
    group.meaning = reason ?? group.meaning
    if (starts_at.getTime() < from) group.failures_before += failures
    else {
      group.failures += failures
      group.buckets[(starts_at.getTime() - from) / bucketMs[bucket]]! += failures
    }
  }
  const items = [...groups.values()]
    .filter((group) => group.failures > 0)
    .sort((a, b) => b.failures - a.failures)
    .slice(0, mostGroups)
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), items }
}
