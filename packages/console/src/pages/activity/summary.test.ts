import { expect, test } from '@jest/globals'
import { barsOf, canBeSummarized, intervalOf, type Summary, titleOf } from './summary.ts'

const summary: Summary = {
  interval: 'day',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-03T00:00:00.000Z',
  buckets: [
    {
      starts_at: '2026-11-01T00:00:00.000Z',
      counts: [
        { channel: 'sms', status: 'delivered', count: 3 },
        { channel: 'email', status: 'delivered', count: 2 },
        { channel: 'sms', status: 'failed', count: 1 },
      ],
    },
    { starts_at: '2026-11-02T00:00:00.000Z', counts: [] },
  ],
}

test('counts are summed by status or by channel, in the order of the pages, and what does not occur has no series', () => {
  const byStatus = barsOf(summary, 'status')
  expect(byStatus.series.map(({ name, total }) => [name, total])).toEqual([
    ['Delivered', 5],
    ['Failed', 1],
  ])
  expect(byStatus.bars).toEqual([
    { label: '1 Nov 2026', counts: [5, 1] },
    { label: '2 Nov 2026', counts: [0, 0] },
  ])
  expect(barsOf(summary, 'channel').series.map(({ name, total }) => [name, total])).toEqual([
    ['Email', 2],
    ['SMS', 4],
  ])
})

test('days are named as those of UTC; hours show their zone when a clock shows them twice', () => {
  expect(titleOf(summary)).toBe('2 days (UTC)')
  const twice = ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']
  const hourly: Summary = {
    ...summary,
    interval: 'hour',
    buckets: twice.map((starts_at) => ({ starts_at, counts: [] })),
  }
  const [first, second] = barsOf(hourly, 'status').bars
  expect([first!.label, second!.label]).toEqual([expect.stringMatching(/[A-Z]{3}/), expect.stringMatching(/[A-Z]{3}/)])
  expect(titleOf(hourly)).toBe('2 hours')
})

test('a range of more than three days is counted by days', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  expect(intervalOf({}, now)).toBe('hour')
  expect(intervalOf({ from: '2026-11-20T00:00:00Z' }, now)).toBe('hour')
  expect(intervalOf({ from: '2026-11-01T00:00:00Z' }, now)).toBe('day')
  expect(intervalOf({ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }, now)).toBe('hour')
})

test('the summary is hidden if a filter is not supported by it', () => {
  expect(canBeSummarized({ status: 'failed' })).toBe(true)
  expect(canBeSummarized({ recipient_token: 'rcp_q1yZk0vX2mB7cR9s4tUvWx' })).toBe(false)
  expect(canBeSummarized({ event_key: 'order.shipped' })).toBe(false)
  expect(canBeSummarized({ locale: 'pt-BR' })).toBe(false)
  expect(canBeSummarized({ broadcast_id: 'bc_01jd0000000000000000000000' })).toBe(false)
  expect(canBeSummarized({ digest_id: 'dig_01jd0000000000000000000000' })).toBe(false)
})
