import { expect, test } from '@jest/globals'
import { asShown } from './retried-items.ts'
import type { ActivityItem } from './words.ts'

const failed: ActivityItem = {
  transaction_id: 'notif_1',
  application_name: 'Shop',
  channel: 'sms',
  recipient_masked: '+1********00',
  recipient_tag: 'k7qd',
  event_key: null,
  status: 'undelivered',
  failure_reason: 'Unreachable',
  created_at: '2026-11-21T00:00:00.000Z',
  retryable: true,
  retry_count: 2,
  locale: null,
  requested_locale: null,
  broadcast_id: null,
  digest_id: null,
  mode: 'live',
}

test('a retried item is shown as queued until its retry_count grows', () => {
  const retried = { notif_1: 2 }
  expect(asShown(retried, failed)).toMatchObject({ status: 'queued', retryable: false, failure_reason: null })
  const next = { ...failed, retry_count: 3 }
  expect(asShown(retried, next)).toBe(next)
})

test('an item that this tab has not retried is shown unchanged', () => {
  expect(asShown({ notif_2: 2 }, failed)).toBe(failed)
})
