import {
  type exportActivity as contract,
  type ExportedItem,
  type Id,
  readProviders,
  type ServicePrincipal,
} from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { exportBatches } from '../exports/export-batches.ts'
import { costOf, moneyOf, priceOf, readPrices } from '../usage/price-store.ts'
import { readFilter } from './activity-filter.ts'
import { csvLine } from './csv-line.ts'
import { type ActivityRow, describeItem, listItems } from './item-store.ts'

const columns = [
  'transaction_id',
  'created_at',
  'application_name',
  'event_key',
  'mode',
  'channel',
  'recipient_masked',
  'recipient_tag',
  'status',
  'failure_reason',
  'retryable',
  'retry_count',
  'locale',
  'broadcast_id',
  'digest_id',
  'provider_id',
  'provider_name',
  'credits',
  'cost',
  'currency',
  'segments',
] as const satisfies readonly (keyof ExportedItem)[]

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvLine(columns),
    line: (item: ExportedItem) => csvLine(columns.map((column) => item[column])),
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (item: ExportedItem) => `${JSON.stringify(item)}\n`,
  },
}

/** Every item that matches, newest first. */
export const exportActivity: Handler<RouteContext, typeof contract> = (context, { query, principal, isAwaited }) => {
  const { db, blindIndex, exports } = context
  const tenantId = principal.tenant_id
  const filter = readFilter(blindIndex, tenantId, query)
  const { type, head, line } = formats[query.format]
  return exportBatches({
    ...{ exports, tenantId, isAwaited, head, line },
    // Items that arrive meanwhile are newer than the first batch, and not part of the export.
    async read(last: ExportedItem | undefined, limit) {
      const after = last && { createdAt: last.created_at, id: last.transaction_id }
      return withDetails(context, tenantId, await listItems(db, filter, { after, limit }))
    },
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="activity.${query.format}"` },
  })
}

const itself: ServicePrincipal = { kind: 'service', service: 'gateway', permissions: ['timelines:read'] }
const timeoutMs = 5000

/** Items with what lists do not show. @throws Problem `service_unavailable` when dispatch does not answer */
async function withDetails(context: RouteContext, tenant_id: Id<'ten'>, rows: ActivityRow[]): Promise<ExportedItem[]> {
  const ids = rows.map(({ transaction_id }) => transaction_id)
  const notification_ids = ids.filter((id): id is Id<'notif'> => id.startsWith('notif_'))
  const list = await readPrices(context.db.run, tenant_id)
  const answer =
    notification_ids.length === 0
      ? { providers: [] }
      : await context.dispatch.call(readProviders, {
          ...{ principal: await context.signPrincipal(itself), timeoutMs },
          body: { tenant_id, notification_ids },
        })
  const providers = new Map(answer.providers.map(({ notification_id, ...provider }) => [notification_id, provider]))
  return rows.map((row) => {
    const known = providers.get(row.transaction_id as Id<'notif'>)
    const { category, country_prefix: countryPrefix, segments, ...provider } = known ?? unknown
    const isPaid = row.mode === 'live' && taken.has(row.status)
    const price = isPaid ? priceOf(list, { channel: row.channel, category, countryPrefix }) : undefined
    return {
      ...describeItem(row),
      ...provider,
      credits: row.credits ?? 0,
      segments,
      cost: price === undefined ? null : moneyOf(costOf(price, { messages: 1, segments: segments ?? 0 })),
      currency: price === undefined ? null : list.currency,
    }
  })
}

/** Of items that are no messages, or whose carrier was never called. */
const unknown = { category: null, country_prefix: null, segments: null, provider_id: null, provider_name: null }

/** The states of messages that a carrier has taken. */
const taken: ReadonlySet<string> = new Set(['sent', 'delivered', 'undelivered', 'verified', 'expired'])
