import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { readUsageOfToday, type TenantUsage } from './usage-of-today.ts'

const everyMs = 60_000
/** Each tenant is a series of its own. */
const mostTenants = 20

/** Exports what the tenants that use most have used today, and the others together. Every replica exports the same. */
export function exportUsage(kit: Kit, { db }: Pick<Context, 'db'>): void {
  let measured: readonly TenantUsage[] = []
  startPeriodic(kit, {
    name: 'usage of tenants',
    everyMs,
    async run() {
      measured = await readUsageOfToday(db.run, mostTenants)
    },
  })
  const readings = (of: (usage: TenantUsage) => number) => () =>
    measured.map((usage) => ({ value: of(usage), attributes: { tenant_id: usage.tenant_id ?? 'other' } }))
  kit.metrics.gauge(
    'gateway_tenant_credits_today',
    'Credits charged for messages accepted since midnight UTC',
    readings(({ credits }) => credits),
  )
  kit.metrics.gauge(
    'gateway_tenant_charged_messages_today',
    'Messages accepted since midnight UTC that were charged',
    readings(({ messages }) => messages),
  )
}
