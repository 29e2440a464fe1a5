import { expect, test } from '@jest/globals'
import { microsOf, moneyOf } from './price-store.ts'

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
