import { expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import { foldReceipts } from './fold-receipts.ts'

const receipt = (status: Receipt['status'], error_code: string | null = null): Receipt => ({
  channel: 'sms',
  provider_id: newId('prov'),
  provider_message_id: 'SM1',
  status,
  error_code,
  received_at: new Date().toISOString(),
})

/** All orders of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((first, at) => orders(list.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

test.each<[Receipt['status'][], Receipt['status']]>([
  [['sent'], 'sent'],
  [['sent', 'delivered'], 'delivered'],
  [['sent', 'undelivered'], 'undelivered'],
  [['sent', 'failed'], 'failed'],
  [['failed', 'delivered'], 'delivered'],
  [['sent', 'undelivered', 'delivered', 'sent'], 'delivered'],
])('%j amount to %s, in whatever order they came', (statuses, expected) => {
  for (const order of orders(statuses.map((status) => receipt(status)))) {
    expect(foldReceipts(order).status).toBe(expected)
  }
})

test('of two final ones the first counts, with its code', () => {
  expect(foldReceipts([receipt('undelivered', '30003'), receipt('failed', '30008')])).toMatchObject({
    status: 'undelivered',
    error_code: '30003',
  })
})
