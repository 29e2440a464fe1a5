import { expect, test } from '@jest/globals'
import { DeliveryStatus, newId, type Receipt, ReceiptStatus } from '@notify/contracts'
import fc from 'fast-check'
import { attemptKey, foldReceipts, planRounds } from './fold-receipts.ts'
import { type Current, transition } from './transition.ts'

const notifications = [newId('notif'), newId('notif')]
const attempts = notifications.map(() => [newId('att'), newId('att'), newId('att')])
const providerId = newId('prov')

const receipt = (
  status: Receipt['status'],
  error_code: string | null = null,
  notification = 0,
  attempt = 1,
): Receipt => ({
  channel: 'sms',
  provider_id: providerId,
  provider_message_id: 'SM1',
  notification_id: notifications[notification]!,
  attempt_id: attempts[notification]![attempt - 1]!,
  status,
  error_code,
  received_at: new Date().toISOString(),
})

/** All permutations of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((first, at) => orders(list.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

test.each<[Receipt['status'][], Receipt['status']]>([
  [['sent'], 'sent'],
  [['sent', 'delivered'], 'delivered'],
  [['sent', 'undelivered'], 'undelivered'],
  [['sent', 'failed', 'delayed'], 'failed'],
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

const anyStatus = fc.constantFrom(...ReceiptStatus.options)
const anyCurrent = fc.record<Current>({
  status: fc.constantFrom(...DeliveryStatus.options),
  attempt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
})
const attemptOf = ({ attempt_id, notification_id }: Receipt) =>
  attempts[notifications.indexOf(notification_id as `notif_${string}`)]!.indexOf(attempt_id as `att_${string}`) + 1

function after({ status, attempt }: Current, received: readonly Receipt[]): Current {
  let now = status
  for (const one of received)
    now = transition({ status: now, attempt }, { status: one.status, attempt: attemptOf(one) }) ?? now
  return { status: now, attempt }
}

test('the folded receipt of an attempt leads to the same state as its receipts one by one', () => {
  fc.assert(
    fc.property(anyCurrent, fc.array(anyStatus, { minLength: 1, maxLength: 8 }), (current, statuses) => {
      const receipts = statuses.map((status) => receipt(status))
      expect(after(current, [foldReceipts(receipts)])).toEqual(after(current, receipts))
    }),
  )
})

test('rounds do what the receipts would do one by one, and none touches a notification twice', () => {
  const anyReceipt = fc
    .tuple(anyStatus, fc.nat(1), fc.integer({ min: 1, max: 3 }))
    .map(([status, notification, attempt]) => receipt(status, null, notification, attempt))
  fc.assert(
    fc.property(fc.tuple(anyCurrent, anyCurrent), fc.array(anyReceipt, { maxLength: 24 }), (start, receipts) => {
      const rounds = planRounds(receipts, attemptKey)
      for (const round of rounds) {
        const touched = round.map(({ notification_id }) => notification_id)
        expect(new Set(touched).size).toBe(touched.length)
      }
      notifications.forEach((id, at) => {
        const ofThis = ({ notification_id }: Receipt) => notification_id === id
        expect(after(start[at]!, rounds.flat().filter(ofThis))).toEqual(after(start[at]!, receipts.filter(ofThis)))
      })
    }),
  )
})

test('a receipt that a stranger signed never takes the place of the account’s own', () => {
  const own = receipt('undelivered', '30003')
  const forged = { ...receipt('delivered'), provider_id: newId('prov') }
  const elsewhere = { ...receipt('delivered'), notification_id: notifications[1]! }
  expect(planRounds([own, forged, elsewhere], attemptKey).flat()).toEqual(
    expect.arrayContaining([own, forged, elsewhere]),
  )
})
