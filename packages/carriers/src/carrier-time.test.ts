import { expect, test } from '@jest/globals'
import { IsoTime, UnixTime } from './carrier-time.ts'

test.each([
  ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21T09:30:00.148+00:00', '2026-11-21T09:30:00.148Z'],
  ['2026-11-21T09:30:00-03:00', '2026-11-21T12:30:00.000Z'],
  ['2026-11-21 09:30:00', undefined],
  ['yesterday', undefined],
  ['9999-12-31T23:30:00-05:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  [undefined, undefined],
  [{}, undefined],
])('%j in ISO 8601 is %s', (text, expected) => {
  expect(IsoTime.parse(text)?.toISOString()).toBe(expected)
})

test.each([
  ['1761548340', '2025-10-27T06:59:00.000Z'],
  [1761548340, '2025-10-27T06:59:00.000Z'],
  ['', undefined],
  [0, undefined],
  [1e300, undefined],
  [1761548340000, undefined],
  ['soon', undefined],
  [undefined, undefined],
])('%j in seconds is %s', (seconds, expected) => {
  expect(UnixTime.parse(seconds)?.toISOString()).toBe(expected)
})
