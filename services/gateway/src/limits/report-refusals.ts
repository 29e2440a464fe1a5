import { type Logger, withoutLogFields } from '@notify/service-kit'

/** A tenant over its limit is refused thousands of times a second. */
const collectMs = 10_000
const mostTenants = 20

/** Counts a request of a tenant that was over a limit. */
export type ReportRefusal = (tenantId: string) => void

/** Logs every ten seconds how many requests of which tenants were over a limit, those with the most first. */
export function createRefusalReport(log: Pick<Logger, 'warn'>, { forMs = collectMs } = {}): ReportRefusal {
  let counts = new Map<string, number>()
  const report = () => {
    const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostTenants)
    const line = { refused: Object.fromEntries(most), tenants: counts.size }
    counts = new Map()
    log.warn(line, 'requests over a limit were refused')
  }
  return (tenantId) => {
    if (counts.size === 0) withoutLogFields(() => setTimeout(report, forMs).unref())
    counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
  }
}
