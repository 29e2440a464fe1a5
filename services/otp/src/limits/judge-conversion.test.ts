import { expect, test } from '@jest/globals'
import { judgeConversion } from './judge-conversion.ts'

const thresholds = { FRAUD_CONVERSION: 0.05, FRAUD_SLOW_AFTER: 20, FRAUD_BLOCK_AFTER: 60 }

test.each([
  [0, 0, 'normal'],
  [19, 0, 'normal'],
  [20, 0, 'slow'],
  [20, 1, 'normal'],
  [59, 2, 'slow'],
  [60, 2, 'blocked'],
  [60, 3, 'normal'],
  [500, 24, 'blocked'],
  [500, 25, 'normal'],
])('%d codes of which %d were verified: %s', (sent, verified, expected) => {
  expect(judgeConversion({ sent, verified }, thresholds)).toBe(expected)
})

test('without a required share no prefix is judged', () => {
  expect(judgeConversion({ sent: 500, verified: 0 }, { ...thresholds, FRAUD_CONVERSION: 0 })).toBe('normal')
})
