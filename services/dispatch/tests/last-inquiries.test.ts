import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { channels } from '../src/channels/registry.ts'
import { closeOverdueReceipts } from '../src/deliver/schedule/close-overdue-receipts.ts'
import { endExpiredNotifications } from '../src/deliver/schedule/expiry-store.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import type { NextStep } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const dayMs = 24 * 3_600_000

let own: OwnNotifications
beforeAll(async () => {
  own = createOwnNotifications(db, newId('ten'))
})
beforeEach(() => db.run('delete from outbox'))

const later: NextStep = { status: 'queued', afterMs: 60_000, whenDue: 'send', reason: null, failsOver: false }

/** Claims the notification and ends the attempt. @returns the id of the attempt */
async function attempt(id: string, outcome: 'accepted' | 'rejected_retryable' | 'unknown', next: NextStep) {
  const { attempt_id: attemptId, attempt_count: attemptNumber } = await own.claimOne(id)
  const answer = { outcome, code: null, message: null, providerMessageId: null }
  await settleAttempts(db, [
    { notificationId: id, attemptNumber, attemptId, leaseExpired: false, providerId: null, ...answer, next },
  ])
  return attemptId
}

const becomeDue = (id: string) => db.run('update notifications set next_attempt_at = now() where id = $1', [id])

/** What callbacks is asked for, by the ids of the attempts. */
async function asked(): Promise<Record<string, string>> {
  const rows = await db.run<{ events: string }>(`select events from outbox where subject = 'dispatch.receipt.wanted'`)
  const events = rows.flatMap(({ events }) => JSON.parse(events) as { event: { attempt_id: string; known: string } }[])
  return Object.fromEntries(events.map(({ event }) => [event.attempt_id, event.known]))
}

test('before a message is sent again, the receipts of its attempts with an unknown outcome are asked for', async () => {
  const [id] = (await own.queued(1)) as [string]
  const first = await attempt(id, 'unknown', later)
  expect(await asked()).toEqual({})
  await becomeDue(id)
  expect(await takeDueNotifications(db, channels)).toMatchObject([{ count: 1 }])
  expect(await asked()).toEqual({ [first]: 'unknown' })
  await attempt(id, 'rejected_retryable', later)
  const third = await attemptWhenDue(id, 'unknown')
  await db.run('delete from outbox')
  await becomeDue(id)
  await takeDueNotifications(db, channels)
  expect(await asked()).toEqual({ [first]: 'unknown', [third]: 'unknown' })
})

async function attemptWhenDue(id: string, outcome: 'unknown'): Promise<string> {
  await becomeDue(id)
  await takeDueNotifications(db, channels)
  return attempt(id, outcome, later)
}

test('nothing is asked of what was refused, or was not attempted yet', async () => {
  const [refused, scheduled] = (await own.queued(2)) as [string, string]
  await attempt(refused, 'rejected_retryable', later)
  await db.run(`update notifications set status = 'scheduled' where id = $1`, [scheduled])
  for (const id of [refused, scheduled]) await becomeDue(id)
  expect(await takeDueNotifications(db, channels)).toHaveLength(2)
  expect(await asked()).toEqual({})
})

test('when a message expires that waits for a receipt, the receipt is asked for', async () => {
  const [id, untried] = (await own.queued(2)) as [string, string]
  const first = await attempt(id, 'unknown', later)
  await db.run(`update notifications set expires_at = now() - interval '1 ms' where id = any($1)`, [[id, untried]])
  expect(await endExpiredNotifications(db)).toEqual({ count: 2, late: 2 })
  expect(await asked()).toEqual({ [first]: 'unknown' })
})

test('before a receipt counts as overdue it is asked for, of every attempt that a carrier may have taken', async () => {
  const [id, recent] = (await own.queued(2)) as [string, string]
  const first = await attempt(id, 'unknown', later)
  await becomeDue(id)
  await takeDueNotifications(db, channels)
  await attempt(id, 'rejected_retryable', later)
  await becomeDue(id)
  await takeDueNotifications(db, channels)
  const last = await attempt(id, 'accepted', { status: 'sent' })
  await attempt(recent, 'accepted', { status: 'sent' })
  await db.run('delete from outbox')
  await db.run(`update in_flight set since = now() - interval '4 days' where id = $1`, [id])
  expect(await closeOverdueReceipts(db, ['sms'], 3 * dayMs)).toBe(1)
  expect(await asked()).toEqual({ [first]: 'unknown', [last]: 'sent' })
  expect(await own.rowOf(id)).toMatchObject({ status: 'sent', receipt_overdue: true })
  expect(await own.rowOf(recent)).toMatchObject({ status: 'sent', receipt_overdue: false })
})
