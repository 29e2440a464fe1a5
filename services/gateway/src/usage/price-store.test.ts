import { expect, test } from '@jest/globals'
import type { PriceList } from '@notify/contracts'
import { costOf, microsOf, moneyOf, type Priced, priceOf } from './price-store.ts'

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

const any = { category: null, country_prefix: null }
const list: PriceList = {
  currency: 'EUR',
  prices: [
    { channel: 'whatsapp', ...any, price: '0.05' },
    { channel: 'whatsapp', ...any, category: 'marketing', price: '0.13' },
    { channel: 'whatsapp', ...any, country_prefix: '+49', price: '0.07' },
    { channel: 'sms', ...any, country_prefix: '+1', price: '0.01' },
    { channel: 'sms', ...any, country_prefix: '+1876', price: '0.2' },
  ],
}

test.each<[Priced, string | undefined]>([
  [{ channel: 'sms', countryPrefix: '+1' }, '0.01'],
  [{ channel: 'sms', countryPrefix: '+1876' }, '0.2'],
  [{ channel: 'sms', countryPrefix: '+1868' }, '0.01'],
  [{ channel: 'sms', countryPrefix: '+44' }, undefined],
  [{ channel: 'sms' }, undefined],
  [{ channel: 'whatsapp', category: 'marketing', countryPrefix: '+49' }, '0.07'],
  [{ channel: 'whatsapp', category: 'marketing', countryPrefix: '+44' }, '0.13'],
])('of %j the price with the longest prefix counts: %s', (priced, price) => {
  expect(priceOf(list, priced)).toBe(price)
})

test('the parts of an SMS are paid for, and a message without parts once', () => {
  expect(costOf('0.0755', { messages: 2, segments: 5 })).toBe(377_500n)
  expect(costOf('0.0755', { messages: 2, segments: 0 })).toBe(151_000n)
})

test('a category has its own price, or else that of its channel', () => {
  const of = (channel: string, category: string | null) => priceOf(list, { channel, category })
  expect([of('whatsapp', 'marketing'), of('whatsapp', 'utility'), of('whatsapp', null), of('sms', null)]).toEqual([
    ...['0.13', '0.05', '0.05'],
    undefined,
  ])
})
