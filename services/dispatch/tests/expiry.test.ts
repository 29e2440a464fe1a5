import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { channels } from '../src/channels/registry.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { endExpiredAttempts } from '../src/deliver/schedule/end-expired-attempts.ts'
import { endExpiredNotifications } from '../src/deliver/schedule/expiry-store.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import type { NextStep } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
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
beforeEach(() => db.run('delete from outbox'))

/** Time moves for one notification: it expires now. */
const expire = (id: string) =>
  db.run(`update notifications set expires_at = now() - interval '1 millisecond' where id = $1`, [id])

/** A notification that expires in an hour. */
async function expiring(erases = false): Promise<string> {
  const [id] = (await own.queued(1, 'otp')) as [string]
  await db.run(
    `update notifications set expires_at = now() + interval '1 hour', erase_when_terminal = $2 where id = $1`,
    [id, erases],
  )
  return id
}

const failsOver: NextStep = { status: 'queued', afterMs: 0, whenDue: 'send', reason: null, failsOver: true }
const retries: NextStep = { ...failsOver, failsOver: false, afterMs: 0.001 }
const sent: NextStep = { status: 'sent' }
const failed: NextStep = { status: 'failed', reason: 'No route', retryable: true }

/** Claims a notification and ends the attempt. */
async function attempt(id: string, next: NextStep, outcome: 'accepted' | 'rejected_retryable' | 'unknown') {
  const { attempt_id, attempt_count } = await own.claimOne(id)
  const answer = { code: null, message: null, providerMessageId: null }
  const ended = { notificationId: id, attemptNumber: attempt_count, attemptId: attempt_id, leaseExpired: false }
  await settleAttempts(db, [{ ...ended, ...answer, providerId, outcome, next }])
  return attempt_id
}

const factsOf = async (id: string) =>
  (await db.run<{ events: string }>(`select events from outbox where subject like 'dispatch.notification.%'`))
    .flatMap(({ events }) => JSON.parse(events) as { event: Record<string, unknown> }[])
    .map(({ event }) => event)
    .filter(({ notification_id }) => notification_id === id)

async function expectExpired(id: string): Promise<void> {
  const ended = { status: 'failed', failure_reason: 'expired', retryable: false }
  expect(await own.rowOf(id)).toMatchObject({ ...ended, payload: null, next_attempt_at: null, sending: false })
  expect(await factsOf(id)).toEqual([expect.objectContaining(ended)])
  expect(await own.claim([id])).toEqual([])
}

test('a claim says how long a message may still be sent', async () => {
  const claim = await own.claimOne(await expiring())
  expect(claim.expires_in_ms).toBeGreaterThan(3_500_000)
  expect(claim.expires_in_ms).toBeLessThanOrEqual(3_600_000)
  const [eternal] = (await own.queued(1)) as [string]
  expect((await own.claimOne(eternal)).expires_in_ms).toBeNull()
})

test('an expired message is not claimed, and fails without an attempt', async () => {
  const id = await expiring()
  await expire(id)
  expect(await own.claim([id])).toEqual([])
  await expectExpired(id)
  expect(await own.attemptsOf(id)).toEqual([])
})

const waiting: [string, (id: string) => Promise<unknown>][] = [
  ['waits for its first attempt', async () => {}],
  [
    'is scheduled',
    (id) =>
      db.run(
        `update notifications set status = 'scheduled', next_attempt_at = now() + interval '1 day' where id = $1`,
        [id],
      ),
  ],
  ['waits for its next attempt', (id) => attempt(id, { ...retries, afterMs: 86_400_000 }, 'rejected_retryable')],
  ['is to be sent by another provider', (id) => attempt(id, failsOver, 'rejected_retryable')],
  ['waits for a receipt before it is sent again', (id) => attempt(id, { ...retries, afterMs: 60_000 }, 'unknown')],
  ['was put back', async (id) => putBackClaims(db, [{ claim: await own.claimOne(id), afterMs: 60_000, held: true }])],
]

test.each(waiting)('a message that %s fails when it expires', async (_what, wait) => {
  const id = await expiring()
  await wait(id)
  await endExpiredNotifications(db)
  expect(await own.rowOf(id)).toMatchObject({ failure_reason: null })
  await expire(id)
  expect(await endExpiredNotifications(db)).toEqual({ count: 1, late: 1 })
  await expectExpired(id)
  expect(await endExpiredNotifications(db)).toEqual({ count: 0, late: 0 })
})

test('a message that is due only after it has expired is not queued', async () => {
  const id = await expiring()
  await attempt(id, retries, 'rejected_retryable')
  await expire(id)
  await takeDueNotifications(db, channels)
  await expectExpired(id)
})

test('a message that expired in its queue is not sent', async () => {
  const id = await expiring()
  await expire(id)
  expect(await own.claim([id])).toEqual([])
  await expectExpired(id)
})

test('a message whose worker is gone is not sent again after it has expired', async () => {
  const id = await expiring()
  await own.claimOne(id, 0)
  await expire(id)
  // It may be with the carrier: it is nobody's to end but the attempt's.
  expect(await endExpiredNotifications(db)).toEqual({ count: 0, late: 0 })
  await endExpiredAttempts(db, { retryDelaysMs: [1000], unknownGraceMs: 60_000, otpGraceMs: 10_000, random: () => 0.5 })
  expect(await endExpiredNotifications(db)).toEqual({ count: 1, late: 1 })
  await expectExpired(id)
})

test('a message that was sent before it expired can still be delivered', async () => {
  const id = await expiring()
  const attempt_id = await attempt(id, { ...retries, afterMs: 60_000 }, 'unknown')
  await expire(id)
  await endExpiredNotifications(db)
  await expectExpired(id)
  await applyReceipts(db, [receipt(id, attempt_id, 'delivered')])
  expect(await own.rowOf(id)).toMatchObject({ status: 'delivered', failure_reason: null })
})

test('the payload of what was sent, or failed, stays until it expires, and no longer', async () => {
  for (const [next, outcome] of [
    [sent, 'accepted'],
    [failed, 'rejected_retryable'],
  ] as const) {
    const id = await expiring()
    await attempt(id, next, outcome)
    await endExpiredNotifications(db)
    const { status } = await own.rowOf(id)
    expect(await own.rowOf(id)).toMatchObject({ payload: Buffer.from('') })
    await expire(id)
    await endExpiredNotifications(db)
    expect(await own.rowOf(id)).toMatchObject({ status, payload: null, retryable: false })
  }
})

test('a failed message that could be retried is reported when it no longer can be', async () => {
  const id = await expiring()
  await attempt(id, failed, 'rejected_retryable')
  await db.run(`update notifications set expires_at = now() + interval '100 milliseconds' where id = $1`, [id])
  await eventually(async () => expect(await endExpiredNotifications(db)).toEqual({ count: 1, late: 0 }))
  const { status, failure_reason, updated_at } = await own.rowOf(id)
  const [before, after, ...more] = await factsOf(id)
  const revision = (before!.revision as number) + 1
  // It failed when it failed, and for the same reason.
  expect(after).toEqual({ ...before, retryable: false, revision })
  expect(before).toMatchObject({ retryable: true, status, failure_reason })
  expect(Date.parse(before!.occurred_at as string)).toBe((updated_at as Date).getTime())
  expect(more).toEqual([])
})

const endings: [string, (id: string) => Promise<unknown>][] = [
  ['sent', (id) => attempt(id, sent, 'accepted')],
  ['failed', (id) => attempt(id, failed, 'rejected_retryable')],
  [
    'failed',
    async (id) => {
      await attempt(id, { ...retries, whenDue: 'give_up', reason: 'Outcome unknown' }, 'unknown')
      await takeDueNotifications(db, channels)
    },
  ],
  ['cancelled', (id) => db.run(`update notifications set status = 'cancelled' where id = $1`, [id])],
  [
    'undelivered',
    async (id) => {
      const { attempt_id } = await own.claimOne(id)
      await applyReceipts(db, [receipt(id, attempt_id, 'undelivered')])
    },
  ],
  [
    'delivered',
    async (id) => {
      const { attempt_id } = await own.claimOne(id)
      await applyReceipts(db, [receipt(id, attempt_id, 'delivered')])
    },
  ],
]

test.each(endings)(
  'a payload to be erased is erased by the statement that makes the message %s, which is then not retryable',
  async (status, end) => {
    const id = await expiring(true)
    await end(id)
    expect(await own.rowOf(id)).toMatchObject({ status, payload: null, retryable: false })
    for (const fact of await factsOf(id)) expect(fact).toMatchObject({ retryable: false })
  },
)

test('a payload due for erasure is kept while the message may be sent again', async () => {
  const id = await expiring(true)
  await attempt(id, { ...retries, afterMs: 0 }, 'rejected_retryable')
  expect((await own.claimOne(id)).payload).toEqual(Buffer.from(''))
})

function receipt(notification_id: string, attempt_id: string, status: 'delivered' | 'undelivered') {
  return {
    notification_id,
    attempt_id,
    provider_id: providerId,
    provider_message_id: 'SM1',
    channel: 'sms',
    status,
    error_code: status === 'undelivered' ? '30003' : null,
  } as never
}
