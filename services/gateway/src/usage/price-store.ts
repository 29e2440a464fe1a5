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
    build.selectFrom('prices').selectAll().where('tenant_id', '=', tenantId).orderBy('channel').orderBy('category'),
  )
  return {
    currency: rows[0]?.currency ?? null,
    prices: rows.map(({ channel, category, micros }) => ({
      ...{ channel, price: moneyOf(micros) },
      category: category === '' ? null : (category as NonNullable<Price['category']>),
    })),
  }
}

/** The price of a message: that of its category, or else of its channel. */
export const priceOf = ({ prices }: PriceList, channel: string, category: string | null): string | undefined => {
  const of = (wanted: string | null) => prices.find((one) => one.channel === channel && one.category === wanted)?.price
  return (category === null ? undefined : of(category)) ?? of(null)
}

export async function replacePrices(
  run: Run,
  tenantId: Id<'ten'>,
  { currency, prices }: { currency: string; prices: readonly Price[] },
): Promise<void> {
  await run(build.deleteFrom('prices').where('tenant_id', '=', tenantId))
  if (prices.length === 0) return
  const rows = prices.map(({ channel, category, price }) => ({
    ...{ tenant_id: tenantId, channel, category: category ?? '', micros: microsOf(price), currency },
  }))
  await run(build.insertInto('prices').values(rows))
}
