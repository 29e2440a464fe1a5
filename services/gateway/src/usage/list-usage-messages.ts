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
import { countCategories, countMessages, type MessageCounts } from './message-counts.ts'
import { microsOf, moneyOf, readPrices } from './price-store.ts'
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
  const ofChannels = await countCategories(db.run, filter, 'channel')
  const ofPeriods = await countCategories(db.run, filter, 'period')
  const { items, next_cursor } = await page(
    request,
    byPeriod,
    (after, limit) => countMessages(db.run, filter, 'period', { after, limit }) as Promise<Listed[]>,
  )
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

/** @param categories the charged messages by category; '' on channels without categories */
function costed(counts: Counts, { prices }: PriceList, categories = new Map<string, number>()): UsageOfChannel {
  const priceOf = (category: string | null) =>
    prices.find((one) => one.channel === counts.channel && one.category === category)?.price
  let left = counts.taken
  let micros = 0n
  let isPriced = priceOf(null) !== undefined
  for (const [category, messages] of categories) {
    const price = category === '' ? undefined : priceOf(category)
    if (price === undefined) continue
    isPriced = true
    micros += BigInt(messages) * microsOf(price)
    left -= messages
  }
  micros += BigInt(Math.max(0, left)) * microsOf(priceOf(null) ?? '0')
  const charged = [...categories.values()].reduce((sum, one) => sum + one, 0)
  return { ...counts, charged, cost: isPriced ? moneyOf(micros) : null }
}
