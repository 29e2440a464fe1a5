import { beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import type { Claim } from '../src/deliver/claim/claim-store.ts'
import type { NextStep } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyHandOffReports } from '../src/outcome/hand-offs/report-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const tenantId = newId('ten')
const providerId = newId('prov')

let own: OwnNotifications
beforeAll(async () => {
  own = createOwnNotifications(db, tenantId)
  await addProviders(db, tenantId, providerId)
})

/** A claimed notification that was accepted an hour ago, with other values of its columns. */
async function claimed(columns = ''): Promise<Claim> {
  const [id] = (await own.queued(1, 'otp')) as [string]
  await db.run(`update notifications set created_at = now() - interval '1 hour' ${columns} where id = $1`, [id])
  return own.claimOne(id)
}

const settled = async ({ id, attempt_id, attempt_count }: Claim, next: NextStep = { status: 'sent' }) =>
  (
    await settleAttempts(db, [
      {
        notificationId: id,
        attemptNumber: attempt_count,
        attemptId: attempt_id,
        leaseExpired: false,
        providerId,
        outcome: next.status === 'sent' ? 'accepted' : 'rejected_retryable',
        code: null,
        message: null,
        providerMessageId: null,
        next,
      },
    ])
  ).latencies

const reported = async ({ id, attempt_id }: Claim, status: Receipt['status']) =>
  (
    await applyReceipts(db, [
      {
        channel: 'sms',
        provider_id: providerId as `prov_${string}`,
        provider_message_id: 'SM1',
        notification_id: id as `notif_${string}`,
        attempt_id: attempt_id as `att_${string}`,
        status,
        error_code: null,
        received_at: new Date().toISOString(),
      },
    ])
  ).latencies

const between = (least: number, most: number) => ({
  asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= least && value < most,
  toString: () => `between ${least} and ${most}`,
})
const anHour = between(3600, 3700)

test('a message is handed over once and delivered once, however often the send and its receipt are written', async () => {
  const claim = await claimed()
  expect(await settled(claim)).toEqual([{ channel: 'sms', lane: 'otp', handed_over: anHour, delivered: null }])
  expect(await settled(claim)).toEqual([])
  expect(await reported(claim, 'sent')).toEqual([])
  expect(await reported(claim, 'delivered')).toEqual([
    { channel: 'sms', lane: 'otp', handed_over: null, delivered: anHour },
  ])
  expect(await reported(claim, 'delivered')).toEqual([])
})

test('a receipt that precedes the answer of its carrier counts for both', async () => {
  const claim = await claimed()
  expect(await reported(claim, 'delivered')).toEqual([
    { channel: 'sms', lane: 'otp', handed_over: anHour, delivered: anHour },
  ])
  expect(await settled(claim)).toEqual([])
})

test('a message that another service delivers is handed over and delivered at once', async () => {
  const { id } = await claimed()
  const report = { notification_id: id as `notif_${string}`, retry_count: 0, failure_reason: null, retryable: false }
  expect(await applyHandOffReports(db, 'sms', [{ ...report, status: 'delivered' }])).toMatchObject([
    { handed_over: anHour, delivered: anHour },
  ])
})

test('a scheduled notification is timed from its own moment', async () => {
  const claim = await claimed(`, send_at = now() - interval '1 minute'`)
  expect(await settled(claim)).toMatchObject([{ handed_over: between(60, 160) }])
})

test('no time is negative, also when the clock of Postgres was set back', async () => {
  const claim = await claimed(`, send_at = now() + interval '10 minutes'`)
  expect(await settled(claim)).toMatchObject([{ handed_over: 0 }])
})

test.each([
  ['test messages', `, mode = 'test'`],
  ['retries of an operator', ', retry_count = 1'],
])('%s say nothing of the speed of the service', async (_, columns) => {
  const claim = await claimed(columns)
  expect(await settled(claim)).toEqual([])
  expect(await reported(claim, 'delivered')).toEqual([])
})

test('refused, deferred and undelivered messages do not count as delivered', async () => {
  const waits: NextStep = { status: 'queued', afterMs: 0, whenDue: 'send', reason: null, failsOver: false }
  expect(await settled(await claimed(), waits)).toEqual([])
  const refused = await claimed()
  expect(await settled(refused, { status: 'failed', reason: 'refused', retryable: false })).toEqual([])
  const bounced = await claimed()
  expect(await reported(bounced, 'undelivered')).toMatchObject([{ handed_over: anHour, delivered: null }])
})
