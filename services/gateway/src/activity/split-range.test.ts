import { expect, test } from '@jest/globals'
import { splitRange } from './split-range.ts'

const at = (text: string) => new Date(`2026-11-${text}Z`)
const span = (from: string, to: string) => ({ from: at(from), to: at(to) })

test('a range is split into whole days, the hours beside them and the rest, without gap or overlap', () => {
  expect(splitRange(span('03T10:30:00', '06T02:15:00'))).toEqual({
    days: [span('04T00:00:00', '06T00:00:00')],
    hours: [span('03T11:00:00', '04T00:00:00'), span('06T00:00:00', '06T02:00:00')],
    rest: [span('03T10:30:00', '03T11:00:00'), span('06T02:00:00', '06T02:15:00')],
  })
})

test.each([
  [span('03T00:00:00', '04T00:00:00'), { days: [span('03T00:00:00', '04T00:00:00')], hours: [], rest: [] }],
  [span('03T01:00:00', '03T02:00:00'), { days: [], hours: [span('03T01:00:00', '03T02:00:00')], rest: [] }],
  [span('03T01:10:00', '03T01:20:00'), { days: [], hours: [], rest: [span('03T01:10:00', '03T01:20:00')] }],
  [span('03T01:10:00', '03T02:10:00'), { days: [], hours: [], rest: [span('03T01:10:00', '03T02:10:00')] }],
  [
    { from: at('03T23:30:00') },
    { days: [{ from: at('04T00:00:00') }], hours: [], rest: [span('03T23:30:00', '04T00:00:00')] },
  ],
  [
    { to: at('03T01:30:00') },
    {
      days: [{ to: at('03T00:00:00') }],
      hours: [span('03T00:00:00', '03T01:00:00')],
      rest: [span('03T01:00:00', '03T01:30:00')],
    },
  ],
])('%j', (range, split) => {
  expect(splitRange(range)).toEqual(split)
})
