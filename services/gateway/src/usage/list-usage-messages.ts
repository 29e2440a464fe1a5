import {
  Channel,
  type listUsageMessages as contract,
  type Id,
  type PriceList,
  type UsageOfChannel,
} from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { RouteContext } from '../context.ts'
import { spanOf } from './get-usage.ts'
import { type ChargedCounts, countCharged, countMessages, type MessageCounts } from './message-counts.ts'
import { costOf, moneyOf, priceOf, readPrices } from './price-store.ts'
import type { UsageFilter } from './usage-store.ts'

type Listed = MessageCounts & { period: string; application_id: Id<'app'> }
type Position = [period: string, applicationId: string, channel: Channel]

const text = z.string().max(64)
const byPeriod: ListOrder<Listed, Position> = {
  position: z.tuple([text, text, Channel]),
  of: ({ period, application_id, channel }) => [period, application_id, channel],
}

/** All messages of the operator's tenant, with what they cost by its price list. */
export const listUsageMessages: Handler<RouteContext, typeof contract> = async ({ db }, request) => {
  const { query, principal } = request
  const span = spanOf(query)
  const filter: UsageFilter = { tenantId: principal.tenant_id, ...query, ...span }
  const list = await readPrices(db.run, principal.tenant_id)
  const totals = await countMessages(db.run, filter, 'channel')
  const ofChannels = await countCharged(db.run, filter, 'channel')
  const { items, next_cursor } = await page(
    request,
    byPeriod,
    (after, limit) => countMessages(db.run, filter, 'period', { after, limit }) as Promise<Listed[]>,
  )
  const periods = items.map(({ period }) => period)
  const ofPeriods =
    periods.length === 0
      ? new Map<string, ChargedCounts[]>()
      : await countCharged(db.run, filter, 'period', [periods[0]!, periods.at(-1)!])
  return {
    ...{ ...span, currency: list.currency, next_cursor },
    totals: totals.map(({ period: _, application_id: _of, ...counts }) =>
      costed(counts, list, ofChannels.get(counts.channel)),
    ),
    items: items.map(({ period, application_id, ...counts }) => ({
      ...{ period, application_id },
      ...costed(counts, list, ofPeriods.get(`${period} ${application_id} ${counts.channel}`)),
    })),
  }
}

type Counts = Pick<MessageCounts, 'channel' | 'messages' | 'taken' | 'delivered' | 'failed'>

function costed(counts: Counts, list: PriceList, charged: readonly ChargedCounts[] = []): UsageOfChannel {
  const { channel } = counts
  const sum = { messages: 0, segments: 0 }
  let micros = 0n
  let isPriced = false
  const add = (price: string | undefined, more: { messages: number; segments: number }) => {
    if (price === undefined) return
    isPriced = true
    micros += costOf(price, more)
  }
  for (const { category, country_prefix: countryPrefix, ...more } of charged) {
    sum.messages += more.messages
    sum.segments += more.segments
    add(priceOf(list, { channel, category, countryPrefix }), more)
  }
  // Messages that cost no credits still cost what the carrier asks.
  add(priceOf(list, { channel }), { messages: Math.max(0, counts.taken - sum.messages), segments: 0 })
  const { messages: ofThem, segments } = sum
  return { ...counts, charged: ofThem, segments, cost: isPriced ? moneyOf(micros) : null }
}
