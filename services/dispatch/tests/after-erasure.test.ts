import { beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt } from '@notify/contracts'
import { suppressRecipient } from '../src/catalogue/suppressions/suppress-recipient.ts'
import { channels } from '../src/channels/registry.ts'
import { endExpiredAttempts } from '../src/deliver/schedule/end-expired-attempts.ts'
import { unknownReason } from '../src/deliver/settle/decide-next.ts'
import { type Settlement, settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyHandOffReports } from '../src/outcome/hand-offs/report-store.ts'
import { askForSent } from '../src/outcome/inquiries/ask-for-sent.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { eraseNotifications } from '../src/upkeep/erasure-store.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const tenantId = newId('ten')
const providerId = newId('prov')
const words = '30003 Unreachable'

let own: OwnNotifications
beforeAll(async () => {
  own = createOwnNotifications(db, tenantId)
  await addProviders(db, tenantId, providerId)
})

const erase = async (id: string) =>
  expect(await eraseNotifications(db, { tenantId, index: `index of ${id}`, forgetStops: false } as never)).toBe(1)

const wordsOf = (id: string) =>
  db.run(
    'select outcome, provider_code, provider_message, provider_message_id from attempts where notification_id = $1',
    [id],
  )

/** What the carrier answered to an attempt whose message it took. */
const taken = {
  outcome: 'accepted',
  code: null,
  message: words,
  providerMessageId: 'SM1',
  next: { status: 'sent' },
} as const

async function claimed(given: Partial<Settlement> = {}) {
  const [id] = (await own.queued(1)) as [string]
  const { attempt_id: attemptId, attempt_count: attemptNumber } = await own.claimOne(id)
  const ended = { notificationId: id, attemptNumber, attemptId, leaseExpired: false, providerId, ...taken, ...given }
  return { id, answer: () => settleAttempts(db, [ended]), attemptId: attemptId as Receipt['attempt_id'] }
}

/** What the carrier answered to an attempt that it refused. */
const refused = {
  outcome: 'rejected_permanent',
  code: '21211',
  message: 'No such user Ada',
  providerMessageId: null,
  next: { status: 'failed', reason: 'No such user Ada', retryable: false },
} as const

const report = (id: string, attempt_id: Receipt['attempt_id']) =>
  applyReceipts(db, [
    {
      ...{
        channel: 'sms',
        provider_id: providerId,
        provider_message_id: 'SM1',
        notification_id: id as `notif_${string}`,
      },
      ...{ attempt_id, status: 'undelivered', error_code: '30003', reason: words, retryable: true },
      received_at: new Date().toISOString(),
    },
  ])

test('a receipt after the erasure ends the message, which cannot be retried, and leaves no words of the carrier', async () => {
  const { id, attemptId, answer } = await claimed()
  await answer()
  await erase(id)
  expect((await report(id, attemptId)).ids).toEqual([id])
  const reduced = { recipient_index: 'erased', failure_reason: '30003' }
  expect(await own.rowOf(id)).toMatchObject({ status: 'undelivered', retryable: false, ...reduced })
  const left = { outcome: 'accepted', provider_message: null, provider_message_id: null }
  expect(await wordsOf(id)).toMatchObject([{ ...left, provider_code: '30003' }])
})

test('the answer of a worker that comes after the erasure leaves no words of the carrier', async () => {
  const { id, answer } = await claimed()
  await db.run(`update attempts set lease_until = now() - interval '1 s' where notification_id = $1`, [id])
  await endExpiredAttempts(db, { retryDelaysMs: [1000], unknownGraceMs: 1000, otpGraceMs: 1000, random: () => 0.5 })
  await erase(id)
  await answer()
  expect(await wordsOf(id)).toMatchObject([{ outcome: 'accepted', provider_message: null, provider_message_id: null }])
})

test("of a failure the erasure keeps the carrier's code, not its words", async () => {
  const { id, answer } = await claimed(refused)
  await answer()
  await erase(id)
  expect(await own.rowOf(id)).toMatchObject({ status: 'failed', failure_reason: '21211' })
})

test('our own reason of a failure stays after the erasure', async () => {
  const { id, answer } = await claimed({ ...refused, next: { ...refused.next, reason: unknownReason } })
  await answer()
  await erase(id)
  expect(await own.rowOf(id)).toMatchObject({ failure_reason: unknownReason })
})

test('a message that another service delivers is not handed over again after the erasure', async () => {
  const [id] = (await own.queued(1, 'transactional', 'webhook')) as [string]
  await db.run(`update notifications set status = 'sent' where id = $1`, [id])
  const handOffs = async () => {
    await askForSent(db, channels, new Date(0).toISOString(), new Date(Date.now() + 60_000))
    return (await db.run(`select from outbox where subject like 'dispatch.webhook.%' and strpos(events, $1) > 0`, [id]))
      .length
  }
  expect(await handOffs()).toBe(1)
  await erase(id)
  expect(await handOffs()).toBe(1)
})

test('a failure that the receiver of a hand-off reports after the erasure cannot be retried', async () => {
  const [id] = (await own.queued(1)) as [`notif_${string}`]
  await db.run(`update notifications set status = 'sent' where id = $1`, [id])
  await erase(id)
  const failed = { status: 'failed', failure_reason: 'no_inbox', retryable: true } as const
  await applyHandOffReports(db, 'sms', [{ notification_id: id, retry_count: 0, ...failed } as never])
  expect(await own.rowOf(id)).toMatchObject({ status: 'failed', retryable: false })
})

test.each([undefined, 'c1'])(
  'a complaint after the erasure suppresses nobody, which is logged as a warning (copy: %s)',
  async (copy) => {
    const { id, answer } = await claimed()
    await answer()
    await erase(id)
    const logged: string[] = []
    const log = { info: () => logged.push('info'), warn: () => logged.push('warn') }
    await suppressRecipient(
      { db, log } as never,
      {
        ...{ suppress: 'complaint', channel: 'sms', provider_id: providerId, notification_id: id as `notif_${string}` },
        ...{
          provider_message_id: 'SM1',
          status: 'delivered',
          received_at: new Date().toISOString(),
          ...(copy && { copy }),
        },
      } as Receipt,
    )
    expect(logged).toEqual(['warn'])
    expect(await db.run('select from suppressions where tenant_id = $1', [tenantId])).toEqual([])
  },
)
