import { expect, test } from '@jest/globals'
import { ActivityQuery } from './activity.ts'

test('an empty query returns the first page of 20', () => {
  expect(ActivityQuery.parse({})).toEqual({ page: 1, limit: 20 })
})

test('numbers of the query are parsed from text', () => {
  expect(ActivityQuery.parse({ page: '3', limit: '100', channel: 'sms', status: 'failed' })).toEqual({
    page: 3,
    limit: 100,
    channel: 'sms',
    status: 'failed',
  })
})

test.each([
  { limit: '0' },
  { limit: '101' },
  { limit: '-1' },
  { limit: '1.5' },
  { limit: '1e2' },
  { limit: '' },
  { limit: 'all' },
  { page: '0' },
  { page: '1000001' },
  { status: 'lost' },
  { channel: 'fax' },
  { cursor: 'x'.repeat(1001) },
  { order: 'asc' },
])('%j is refused, never corrected', (query) => {
  expect(ActivityQuery.safeParse(query).success).toBe(false)
})

test('the refusal of a limit states its bounds', () => {
  const { error } = ActivityQuery.safeParse({ limit: '500' })
  expect(error?.issues[0]).toMatchObject({ path: ['limit'], message: 'must be at most 100' })
})
