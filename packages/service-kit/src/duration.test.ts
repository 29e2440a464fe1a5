import { expect, test } from '@jest/globals'
import { parseDurationMs } from './duration.ts'

test.each([
  ['250ms', 250],
  ['5s', 5000],
  ['1.5s', 1500],
  ['16.1s', 16_100],
  ['4.1m', 246_000],
  ['2m', 120_000],
  ['72h', 259_200_000],
  ['7d', 604_800_000],
  ['0s', 0],
  [' 5s ', 5000],
])('%j is %i milliseconds', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '-5s', '5S', '5sec', '1h30m', '.5s', '5.s', '1e3ms', 'Infinity'])(
  '%j is not a duration, and the message shows what is',
  (text) => {
    expect(() => parseDurationMs(text)).toThrow(`"${text}" is not a duration such as 250ms, 5s, 2m, 72h or 7d`)
  },
)
