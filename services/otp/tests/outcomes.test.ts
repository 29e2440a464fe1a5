import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { eventually } from '@notify/dev-env'
import { useOwnSchema } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { eraseTransactions } from '../src/erasure/erasure-store.ts'
import { countConversion } from '../src/limits/conversion-store.ts'
import { claimMessages } from '../src/messages/claim-messages.ts'
import type { Answer } from '../src/messages/hand-over.ts'
import { findMessage } from '../src/messages/message-store.ts'
import { handOverMessage, sendMessage } from '../src/messages/send-message.ts'
import { settleAccepted, settleRefused } from '../src/messages/settle-message.ts'
import { startResumption } from '../src/messages/start-resumption.ts'
import { expireTransactions } from '../src/transactions/expire-transactions.ts'
import { recordOutcome } from '../src/transactions/record-outcome.ts'
import { renewTransaction } from '../src/transactions/renew-transaction.ts'
import { createTryCode, mostAttempts, type Try } from '../src/transactions/try-codes.ts'

let db: Queries
useOwnSchema('otp', { migrations }, (own) => {
  db = own.db
})

const tenantId = newId('ten')
const prefix = '+491512'

/** A code and its message. */
async function add({ status = 'sent', expireIn = 300, prefix = '+1555', tenant = tenantId } = {}) {
  const code = { id: newId('otp'), notification_id: newId('notif') }
  await db.run(
    `with made as (
       insert into transactions (id, tenant_id, application_id, mode, channel, recipient, recipient_masked, recipient_index, prefix,
         length, ttl_seconds, code_proof, status, notification_id, expires_at)
       values ($1, $2, 'app_1', 'live', 'sms', '', '+1***', $1, $3, 6, 300, 'proof', $4, $5, now() + make_interval(secs => $6))
       returning *
     )
     insert into messages (notification_id, transaction_id, tenant_id, mode, recipient_index, request, due_at, expires_at)
     select notification_id, id, tenant_id, mode, recipient_index, case when status = 'pending' then 'x'::bytea end,
       case when status = 'pending' then now() end, expires_at from made`,
    [code.id, tenant, prefix, status, code.notification_id, expireIn],
  )
  return code
}

const expire = () => expireTransactions({ db, wakeOutbox() {} })

const stateOf = async ({ id }: { id: string }) =>
  (await db.run('select status, failure_reason from transactions where id = $1', [id]))[0]

const failed = (code: { notification_id: `notif_${string}` }, failure_reason: string) =>
  recordOutcome(db.run, { ...code, status: 'failed', failure_reason })

/** The statuses of the facts that work enqueues. */
async function factsOf(work: () => Promise<unknown>): Promise<string[]> {
  await db.run('delete from outbox')
  await work()
  const facts = await db.run<{ status: string }>(
    `select e->'event'->>'status' as status from outbox, json_array_elements(events::json) as e`,
  )
  return facts.map(({ status }) => status)
}

test('codes that failed, were never handed over or still wait say nothing about the conversion of their prefix', async () => {
  for (let made = 0; made < 3; made++) {
    await add({ prefix, status: 'pending', expireIn: -1 })
    await failed(await add({ prefix }), 'provider unavailable')
    await add({ prefix })
  }
  await add({ prefix, status: 'delivered' })
  await add({ prefix, expireIn: -1 })
  await expire()
  const sample = { tenantId, mode: 'live', prefix, windowMs: 3_600_000, graceMs: 0, most: 60 } as const
  expect(await countConversion(db, sample)).toEqual({ sent: 2, verified: 0 })
  // One that is valid for longer, and of which no receipt has come.
  await db.run(
    `update transactions set created_at = now() - interval '40 minutes' where prefix = $1 and status = 'sent'`,
    [prefix],
  )
  expect(await countConversion(db, sample)).toEqual({ sent: 5, verified: 0 })
})

test('a code that dispatch has not accepted before it expires has failed; after a resend the one before counts', async () => {
  const unsent = await add({ status: 'pending', expireIn: -1 })
  const resent = await add({ status: 'pending', expireIn: -1 })
  await db.run(`update transactions set replaced = '{"status": "delivered"}' where id = $1`, [resent.id])
  await expire()
  expect(await stateOf(unsent)).toEqual({ status: 'failed', failure_reason: 'service_unavailable' })
  expect(await stateOf(resent)).toEqual({ status: 'expired', failure_reason: null })
})

test('a code whose message waited until both expired has failed with the reason, and a verified one stays verified', async () => {
  const unsent = await add({ expireIn: -1 })
  const verified = await add({ status: 'verified' })
  expect(await factsOf(expire)).toEqual(['expired'])
  expect(await factsOf(() => failed(unsent, 'expired'))).toEqual(['failed'])
  await failed(verified, 'expired')
  expect(await stateOf(unsent)).toEqual({ status: 'failed', failure_reason: 'expired' })
  expect(await stateOf(verified)).toEqual({ status: 'verified', failure_reason: null })
})

/** Starts a resend of a code. @returns its message */
async function resend(code: { id: `otp_${string}`; notification_id: `notif_${string}` }) {
  const notificationId = newId('notif')
  const made = { notificationId, codeProof: 'another', request: Buffer.from('x') }
  const current = { id: code.id, current: code.notification_id, traceparent: '' }
  expect(await renewTransaction(db.run, { ...made, ...current })).toBe(true)
  return notificationId
}

test('an outcome that arrives during a resend is known after dispatch has refused the resend', async () => {
  const code = await add()
  const notificationId = await resend(code)
  expect(await factsOf(() => failed(code, 'number unknown'))).toEqual([])
  expect(await stateOf(code)).toEqual({ status: 'pending', failure_reason: null })
  await settleRefused(db.run, notificationId, 'recipient_suppressed')
  expect(await stateOf(code)).toEqual({ status: 'failed', failure_reason: 'number unknown' })
})

test('the outcome of a resend that arrives before the answer of dispatch stays, whatever became of the code before', async () => {
  const code = await add()
  const notificationId = await resend(code)
  await failed(code, 'expired')
  await recordOutcome(db.run, { notification_id: notificationId, status: 'delivered', failure_reason: null })
  await settleAccepted(db.run, notificationId)
  await db.run('update transactions set expires_at = now() where id = $1', [code.id])
  await expire()
  expect(await stateOf(code)).toEqual({ status: 'expired', failure_reason: null })
})

test('a resend names the messages before it that dispatch has taken, without those that were refused', async () => {
  const code = await add()
  for (let refused = 0; refused < 11; refused++) await settleRefused(db.run, await resend(code), 'recipient_suppressed')
  expect((await findMessage(db.run, await resend(code)))?.earlier).toEqual([code.notification_id])
})

test('the erasure of a recipient ends their open codes', async () => {
  const codes = [await add({ status: 'delivered' }), await add(), await add({ status: 'failed' })]
  for (const { id } of codes) {
    const person = { tenantId, recipient: '+1555', index: id, forgetStops: false }
    const isFailed = id === codes[2]!.id
    expect(await factsOf(() => eraseTransactions(db, person))).toEqual(isFailed ? [] : ['expired'])
  }
})

test('after five wrong codes of one transaction no statement tries its others of the same moment', async () => {
  const [guessed, other] = [await add(), await add()]
  let statements = 0
  const run = ((...given: Parameters<typeof db.run>) => {
    statements++
    return db.run(...given)
  }) as typeof db.run
  const tryCode = createTryCode({ db: { ...db, run }, wakeOutbox() {} })
  const wrong = (id: string) =>
    ({ id, application_id: 'app_1', mode: 'live', salt: '', answer: '', traceparent: null }) as unknown as Try
  const tried = await Promise.all(
    [...Array.from({ length: 100 }, () => wrong(guessed.id)), wrong(other.id)].map(tryCode),
  )
  expect(tried.filter((one) => one?.id === guessed.id).map((one) => one!.attempts)).toEqual([1, 2, 3, 4, 5])
  expect(tried.at(-1)?.attempts).toBe(1)
  expect(statements).toBe(mostAttempts)
})

test('a transaction that another session keeps locked does not fail the tries of others', async () => {
  const [locked, other] = [await add(), await add()]
  const tryCode = createTryCode({ db, wakeOutbox() {} })
  const wrong = ({ id }: { id: string }) =>
    ({ id, application_id: 'app_1', mode: 'live', salt: '', answer: '', traceparent: null }) as unknown as Try
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.transaction(async (run) => {
    await run('select from transactions where id = $1 for update', [locked.id])
    held.resolve()
    await released.promise
  })
  await held.promise
  const tried = await Promise.all([tryCode(wrong(locked)), tryCode(wrong(other))]).finally(released.resolve)
  await holding
  expect(tried).toEqual([undefined, expect.objectContaining({ id: other.id, attempts: 1 })])
  expect(await tryCode(wrong(locked))).toMatchObject({ attempts: 1 })
})

test('a code that dispatch refuses for now stays due, and its caller may repeat the request', async () => {
  const { id, notification_id } = await add({ status: 'pending' })
  let answer: Answer = { title: '', status: 429, code: 'rate_limited', detail: 'The templates use too much CPU time' }
  const context = {
    ...{ db, wakeOutbox() {}, metrics: { sent() {}, refused() {} }, settingsOf: async () => ({}) },
    handOver: async () => answer,
  } as unknown as Context
  await expect(sendMessage(context, notification_id)).rejects.toMatchObject({
    ...{ code: 'rate_limited', headers: { 'Retry-After': '1' }, mayHaveTakenEffect: true },
    message: expect.stringContaining('may still be sent'),
  })
  const [message] = await claimMessages(db)
  expect(message).toMatchObject({ notification_id, refusal: null })
  await expect(handOverMessage(context, message!)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await stateOf({ id })).toEqual({ status: 'pending', failure_reason: null })
  answer = undefined
  expect(await sendMessage(context, notification_id)).toMatchObject({ status: 200 })
  expect(await stateOf({ id })).toEqual({ status: 'sent', failure_reason: null })
})

test('a tenant whose messages dispatch does not answer holds up none of those of another tenant', async () => {
  const [slow, quick] = [newId('ten'), newId('ten')]
  for (let made = 0; made < 60; made++) for (const tenant of [slow, quick]) await add({ status: 'pending', tenant })
  const waitingOf = async (tenant: string) =>
    (await db.run('select from messages where tenant_id = $1 and due_at is not null', [tenant])).length
  const answer = Promise.withResolvers<Answer>()
  const context = {
    ...{ db, wakeOutbox() {}, metrics: { sent() {}, refused() {} }, settingsOf: async () => ({}) },
    handOver: async ({ tenant_id }: { tenant_id: string }) => (tenant_id === slow ? answer.promise : undefined),
  } as unknown as Context
  const kit = createTestKit('otp')
  try {
    startResumption(kit, context)
    await eventually(async () => expect(await waitingOf(quick)).toBe(0))
    expect(await waitingOf(slow)).toBe(60)
  } finally {
    answer.resolve(undefined)
    await kit.stop()
  }
})
