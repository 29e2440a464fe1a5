import {
  Channel,
  type getUsage as contract,
  type listUsageLocales as localesContract,
  longestUsageDays,
  type UsageItem,
} from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import { fieldProblem, type Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { RouteContext } from '../context.ts'
import { listUsageRows, sumUsage, type UsageFilter, type UsagePosition, type UsageRow } from './usage-store.ts'

/** The usage of the operator's tenant. */
export const getUsage: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { query, principal } = request
  const filter: UsageFilter = { tenantId: principal.tenant_id, ...query, ...spanOf(query) }
  const [totals, { items, next_cursor }] = await Promise.all([
    sumUsage(db.run, filter),
    page(request, byPeriod, (after, limit) =>
      listUsageRows(db.run, { ...filter, group: 'category' }, { after, limit }),
    ),
  ])
  const { from, to } = filter
  return { from, to, totals, items: items.map(describe), next_cursor }
}

/** The usage of the operator's tenant by language. */
export const listUsageLocales: Handler<RouteContext, typeof localesContract> = async ({ db }, request) => {
  const { query, principal } = request
  const span = spanOf(query)
  const filter: UsageFilter = { tenantId: principal.tenant_id, ...query, ...span }
  const { items, next_cursor } = await page(request, byPeriod, (after, limit) =>
    listUsageRows(db.run, { ...filter, group: 'locale' }, { after, limit }),
  )
  return { ...span, items: items.map(({ group: locale, ...row }) => ({ ...row, locale })), next_cursor }
}

const dayMs = 86_400_000

export function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  from: string
  to: string
} {
  const last = to ?? new Date().toISOString().slice(0, 10)
  const first = from ?? `${last.slice(0, 8)}01`
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days >= 1 && days <= longestUsageDays) return { from: first, to: last }
  const limit = days < 1 ? 'not be after' : `be at most ${longestUsageDays} days before`
  throw fieldProblem('validation_failed', 'from', `must ${limit} to, which is today by default`)
}

const describe = ({ group, ...row }: UsageRow): UsageItem => ({ ...row, category: group === '' ? null : group })

const text = z.string().max(64)

const byPeriod: ListOrder<UsageRow, UsagePosition> = {
  position: z.tuple([text, text, Channel, text]),
  of: ({ period, application_id, channel, group }) => [period, application_id, channel, group],
}
