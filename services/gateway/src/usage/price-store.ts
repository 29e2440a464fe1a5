import type { Id, Price, PriceList } from '@notify/contracts'
import type { Run } from '@notify/database'
import { build } from '../db/schema.ts'

const digits = 6
const scale = 10n ** BigInt(digits)

/** A decimal number in millionths. */
export function microsOf(price: string): bigint {
  const [whole = '0', part = ''] = price.split('.')
  return BigInt(whole) * scale + BigInt(part.padEnd(digits, '0'))
}

/** Millionths as a decimal number with at least two places. */
export function moneyOf(micros: bigint): string {
  const part = String(micros % scale)
    .padStart(digits, '0')
    .replace(/0{1,4}$/, '')
  return `${micros / scale}.${part}`
}

export async function readPrices(run: Run, tenantId: Id<'ten'>): Promise<PriceList> {
  const rows = await run(
    build
      .selectFrom('prices')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .orderBy('channel')
      .orderBy('country_prefix')
      .orderBy('category'),
  )
  return {
    currency: rows[0]?.currency ?? null,
    prices: rows.map(({ channel, country_prefix, category, micros }) => ({
      ...{ channel, price: moneyOf(micros), country_prefix: country_prefix === '' ? null : country_prefix },
      category: category === '' ? null : (category as NonNullable<Price['category']>),
    })),
  }
}

/** What the price of a message depends on. */
export interface Priced {
  channel: string
  category?: string | null | undefined
  countryPrefix?: string | null | undefined
}

/** The price of a message, or of a part of it: of the longest prefix of its country, and then of its category. */
export function priceOf({ prices }: PriceList, { channel, category, countryPrefix }: Priced): string | undefined {
  const isOf = ({ country_prefix, ...one }: Price) =>
    one.channel === channel &&
    (one.category === null || one.category === category) &&
    (country_prefix === null || countryPrefix?.startsWith(country_prefix))
  const rank = (one: Price) => 2 * (one.country_prefix?.length ?? 0) + (one.category === null ? 0 : 1)
  return prices.filter(isOf).toSorted((a, b) => rank(b) - rank(a))[0]?.price
}

/** What messages cost together: parts are paid for where there are any. */
export const costOf = (price: string, { messages, segments }: { messages: number; segments: number }): bigint =>
  microsOf(price) * BigInt(Math.max(messages, segments))

export async function replacePrices(
  run: Run,
  tenantId: Id<'ten'>,
  { currency, prices }: { currency: string; prices: readonly Price[] },
): Promise<void> {
  await run(build.deleteFrom('prices').where('tenant_id', '=', tenantId))
  if (prices.length === 0) return
  const rows = prices.map(({ channel, country_prefix, category, price }) => ({
    ...{ tenant_id: tenantId, channel, country_prefix: country_prefix ?? '', category: category ?? '' },
    ...{ micros: microsOf(price), currency },
  }))
  await run(build.insertInto('prices').values(rows))
}
