import { expect, test } from '@jest/globals'
import { microsOf, moneyOf, priceOf } from './price-store.ts'

test.each([
  ['0.045', 45_000n, '0.045'],
  ['12', 12_000_000n, '12.00'],
  ['0.000001', 1n, '0.000001'],
  ['999999.999999', 999_999_999_999n, '999999.999999'],
  ['1.5', 1_500_000n, '1.50'],
  ['0', 0n, '0.00'],
])('%s is %s millionths, shown as %s', (price, micros, shown) => {
  expect([microsOf(price), moneyOf(micros)]).toEqual([micros, shown])
})

test('a category has its own price, or else that of its channel', () => {
  const prices = [
    { channel: 'whatsapp' as const, category: null, price: '0.05' },
    { channel: 'whatsapp' as const, category: 'marketing' as const, price: '0.13' },
  ]
  const of = (channel: string, category: string | null) => priceOf({ currency: 'EUR', prices }, channel, category)
  expect([of('whatsapp', 'marketing'), of('whatsapp', 'utility'), of('whatsapp', null), of('sms', null)]).toEqual([
    ...['0.13', '0.05', '0.05'],
    undefined,
  ])
})
