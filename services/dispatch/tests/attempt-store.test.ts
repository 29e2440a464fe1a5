import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Lane, newId, type Receipt } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { Problem } from '@notify/service-kit'
import { lift, suppress } from '../src/catalogue/suppressions/suppression-store.ts'
import { channels } from '../src/channels/registry.ts'
import type { Context } from '../src/context.ts'
import type { Claim } from '../src/deliver/claim/claim-store.ts'
import { createClaims } from '../src/deliver/claim/claim-work.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { type RecordContext, recordAttempt } from '../src/deliver/record-attempt.ts'
import { endExpiredAttempts } from '../src/deliver/schedule/end-expired-attempts.ts'
import { requeueLostWork } from '../src/deliver/schedule/requeue-lost-work.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import type { NextStep, RetryPolicy } from '../src/deliver/settle/decide-next.ts'
import { type Settlement, settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const tenantId = newId('ten')
const [first, second] = [newId('prov'), newId('prov')]

let queued: OwnNotifications['queued']
let claim: OwnNotifications['claim']
let claimOne: OwnNotifications['claimOne']
let keyOf: OwnNotifications['keyOf']
let rowOf: OwnNotifications['rowOf']
let attemptsOf: OwnNotifications['attemptsOf']
beforeAll(async () => {
  ;({ queued, claim, claimOne, keyOf, rowOf, attemptsOf } = createOwnNotifications(db, tenantId))
  await addProviders(db, tenantId, first, second)
})

const policy: RetryPolicy = {
  retryDelaysMs: [1000, 1000, 1000, 1000, 1000],
  unknownGraceMs: 60_000,
  otpGraceMs: 10_000,
  random: () => 0.5,
}
const failsOver: NextStep = { status: 'queued', afterMs: 0, whenDue: 'send', reason: null, failsOver: true }
const waits: NextStep = { ...failsOver, failsOver: false }
function ended({ id, attempt_id, attempt_count }: Claim, providerId: string, next: NextStep): Settlement {
  return {
    notificationId: id,
    attemptNumber: attempt_count,
    attemptId: attempt_id,
    leaseExpired: false,
    providerId,
    outcome: next.status === 'sent' ? 'accepted' : 'rejected_retryable',
    code: next.status === 'sent' ? null : '20500',
    message: null,
    providerMessageId: null,
    next,
  }
}

test('an attempt that another provider makes up for is known to the next one, also when the worker died in between', async () => {
  const [id] = (await queued(1)) as [string]
  const { enqueued_at: enqueuedAt } = await rowOf(id)
  const refused = await claimOne(id)
  expect(refused.tried).toBeNull()
  await settleAttempts(db, [ended(refused, first, failsOver)])
  // Due at once, at its position in its queue: also when the worker is gone.
  expect(await rowOf(id)).toMatchObject({ next_attempt_at: null, enqueued_at: enqueuedAt })
  const next = await claimOne(id)
  expect(next).toMatchObject({ tried: [first], attempt_count: 2, round_attempts: 1 })
  expect(await claim([id])).toEqual([])
  await settleAttempts(db, [ended(next, second, waits)])
  const anew = await claimOne(id)
  expect(anew).toMatchObject({ tried: null, attempt_count: 3, round_attempts: 2 })
})

test('an unknown outcome that another provider replaces uses a step of the schedule', async () => {
  const [id] = (await queued(1)) as [string]
  await settleAttempts(db, [{ ...ended(await claimOne(id), first, failsOver), outcome: 'unknown' }])
  expect(await claimOne(id)).toMatchObject({ tried: [first], round_attempts: 2 })
})

test('the end of an attempt that is written down twice counts once', async () => {
  const [id] = (await queued(1)) as [string]
  const settlement = { ...ended(await claimOne(id), first, failsOver), outcome: 'unknown' as const }
  await settleAttempts(db, [settlement])
  await settleAttempts(db, [settlement])
  expect(await rowOf(id)).toMatchObject({ failovers: 1, round_attempts: 2, attempt_count: 1 })
})

test('a message that has had 32,767 attempts is claimed again, together with those of other queues', async () => {
  const [often, other] = (await queued(2)) as [string, string]
  await db.run('update notifications set attempt_count = 32767 where id = $1', [often])
  const claims = await claim([often, other])
  expect(new Map(claims.map(({ id, attempt_count }) => [id, attempt_count]))).toEqual(
    new Map<string, number>([
      [often, 32_768],
      [other, 1],
    ]),
  )
  expect(await attemptsOf(often)).toMatchObject([{ number: 32_768 }])
})

test('a returned claim leaves no attempt and keeps its position, and is claimed again when it is due', async () => {
  const [id] = (await queued(1)) as [string]
  const unmade = await claimOne(id)
  await putBackClaims(db, [{ claim: unmade, afterMs: 60_000 }])
  await putBackClaims(db, [{ claim: unmade, afterMs: 60_000 }])
  expect(await attemptsOf(id)).toEqual([])
  expect(await rowOf(id)).toMatchObject({ status: 'queued', sending: false, attempt_count: 0, round_attempts: 0 })
  expect(await claim([id])).toEqual([])
  await db.run('update notifications set next_attempt_at = now() where id = $1', [id])
  await takeDueNotifications(db, channels)
  expect(await claimOne(id)).toMatchObject({ attempt_count: 1, round_attempts: 1 })
})

test('returning a claim twice takes nothing from a worker that claimed it in between', async () => {
  const [id] = (await queued(1)) as [string]
  const unmade = await claimOne(id)
  await putBackClaims(db, [{ claim: unmade, afterMs: 0 }])
  const next = await claimOne(id)
  expect(next.attempt_count).toBe(unmade.attempt_count)
  // The answer to the first statement was lost, so it is sent again.
  await putBackClaims(db, [{ claim: unmade, afterMs: 0 }])
  expect(await rowOf(id)).toMatchObject({ sending: true, attempt_count: 1, round_attempts: 1 })
  expect(await attemptsOf(id)).toHaveLength(1)
})

const lane = { lane: 'bulk', channel: 'sms' } as const
const isStopping = () => false

test('a claim whose answer was lost with the connection is put back: nobody was called', async () => {
  const [id] = (await queued(1, 'bulk')) as [string]
  const wanted = [{ key: await keyOf(id), most: 1 }]
  let cut = true
  const run: typeof db.run = async (statement, values) => {
    const rows = await db.run<never>(statement as never, values)
    if (!cut) return rows
    cut = false
    expect(await rowOf(id)).toMatchObject({ sending: true })
    throw new Error('Connection terminated unexpectedly')
  }
  const claims = createClaims({ db: { ...db, run }, wakeOutbox() {} } as unknown as Context, lane, {
    leaseMs: 60_000,
    isStopping,
  })
  await expect(claims.take(wanted)).rejects.toThrow('Connection terminated')
  expect(await attemptsOf(id)).toEqual([])
  expect(await rowOf(id)).toMatchObject({ status: 'queued', sending: false, attempt_count: 0, round_attempts: 0 })
  expect(await claims.take(wanted)).toMatchObject({ claims: [{ id, attempt_count: 1 }], refused: 0 })
})

test('a claim that Postgres carries out only after it was asked to forget it is put back as well', async () => {
  const [id] = (await queued(1, 'bulk')) as [string]
  const wanted = [{ key: await keyOf(id), most: 1 }]
  // As by a server that stood still: our side gave up long ago, and the statement is in its socket.
  let late: (() => Promise<unknown>) | undefined
  let calls = 0
  const run: typeof db.run = async (statement, values) => {
    calls++
    if (calls === 1) {
      late = () => db.run(statement, values)
      throw new Error('Connection terminated unexpectedly')
    }
    const rows = await db.run<never>(statement as never, values)
    if (calls === 2) {
      await late?.()
      expect(await rowOf(id)).toMatchObject({ sending: true })
    }
    return rows
  }
  const claims = createClaims({ db: { ...db, run }, wakeOutbox() {} } as unknown as Context, lane, {
    leaseMs: 60_000,
    isStopping,
  })
  await expect(claims.take(wanted)).rejects.toThrow('Connection terminated')
  await eventually(async () => expect(await rowOf(id)).toMatchObject({ sending: false, attempt_count: 0 }))
  expect(await attemptsOf(id)).toEqual([])
  expect(await claims.take(wanted)).toMatchObject({ claims: [{ id, attempt_count: 1 }], refused: 0 })
})

describe('while Postgres is away for longer than a lease', () => {
  const gone = new Error('Connection terminated unexpectedly')
  /** Claims over a database that refuses `failures` statements. */
  const claimsBeyond = (failures: number, fault: Error = gone, stopping = false) => {
    const context = { ...unreachable(failures, fault), metrics: { took() {} }, wakeOutbox() {} } as unknown as Context
    return createClaims(context, lane, { leaseMs: 60, isStopping: () => stopping })
  }
  const unreachable = (failures: number, fault = gone) => {
    let left = failures
    const run: typeof db.run = async (statement, values) => {
      if (left-- > 0) throw fault
      return db.run<never>(statement as never, values)
    }
    return { db: { ...db, run } }
  }

  test.each([
    ['without a connection', gone],
    ['behind a lock', new Problem('service_unavailable', 'The database is busy')],
  ])('%s a carrier’s answer is kept until it is recorded, and a claim until it is put back', async (_what, fault) => {
    const [sent, unmade] = (await queued(2, 'bulk')) as [string, string]
    const [toSettle, toPutBack] = [await claimOne(sent), await claimOne(unmade)]
    await claimsBeyond(4, fault).settle(ended(toSettle, first, { status: 'sent' }))
    await claimsBeyond(4, fault).putBack({ claim: toPutBack, afterMs: 0 })
    expect(await rowOf(sent)).toMatchObject({ status: 'sent', sending: false })
    expect(await rowOf(unmade)).toMatchObject({ status: 'queued', sending: false, attempt_count: 0 })
  })

  test('a STOP in a carrier’s answer is kept until the recipient is suppressed', async () => {
    const [id] = (await queued(1)) as [string]
    const answer = { outcome: 'rejected_permanent', code: '21610', message: 'unsubscribed', suppress: 'stop' } as const
    const quiet = { log: { info() {}, error() {} }, metrics: { attempt() {} } }
    await recordAttempt({ ...unreachable(2), ...quiet } as unknown as RecordContext, claimsBeyond(0), {
      claim: await claimOne(id),
      provider: null,
      answer: { ...answer, providerMessageId: null, retryAfterMs: null },
      next: { status: 'failed', reason: answer.message, retryable: false },
    })
    expect(await rowOf(id)).toMatchObject({ status: 'failed', failure_reason: 'unsubscribed' })
    const suppressed = 'select reason from suppressions where source_notification_id = $1'
    expect(await db.run(suppressed, [id])).toEqual([{ reason: 'stop' }])
  })

  test('a claim that Postgres had carried out is put back when it answers again', async () => {
    const [id] = (await queued(1, 'bulk')) as [string]
    const wanted = [{ key: await keyOf(id), most: 1 }]
    let calls = 0
    const run: typeof db.run = async (statement, values) => {
      calls++
      const rows = calls === 1 || calls > 5 ? await db.run<never>(statement as never, values) : []
      if (calls <= 5) throw new Error('Connection terminated unexpectedly')
      return rows as never
    }
    const claims = createClaims({ db: { ...db, run } } as unknown as Context, lane, { leaseMs: 60, isStopping })
    await expect(claims.take(wanted)).rejects.toThrow('Connection terminated')
    expect(await rowOf(id)).toMatchObject({ sending: false, attempt_count: 0 })
  })

  test('a process that stops gives up after the time of a lease, and so does one whose statement is refused', async () => {
    const [id] = (await queued(1, 'bulk')) as [string]
    const settlement = ended(await claimOne(id), first, { status: 'sent' })
    await expect(claimsBeyond(1000, gone, true).settle(settlement)).rejects.toThrow('Connection terminated')
    const refused = new Error('invalid input syntax')
    await expect(claimsBeyond(1000, refused).settle(settlement)).rejects.toThrow(refused)
    await claimsBeyond(0).settle(settlement)
  })
})

test('the answer that comes after the receipt does not take an operator’s retry out of the queue', async () => {
  const [id] = (await queued(1)) as [string]
  const early = await claimOne(id)
  await applyReceipts(db, [receiptOf(early, 'undelivered', '30003')])
  await db.run(
    `update notifications set status = 'queued', round_attempts = 0, sending = false, retryable = false where id = $1`,
    [id],
  )
  await settleAttempts(db, [ended(early, first, { status: 'sent' })])
  expect(await rowOf(id)).toMatchObject({ status: 'queued', attempt_count: 1 })
  expect(await claimOne(id)).toMatchObject({ attempt_count: 2, round_attempts: 1 })
})

test('a message returned after another attempt keeps the list of accounts tried', async () => {
  const [id] = (await queued(1)) as [string]
  await settleAttempts(db, [ended(await claimOne(id), first, failsOver)])
  await putBackClaims(db, [{ claim: await claimOne(id), afterMs: 0 }])
  expect(await claimOne(id)).toMatchObject({ tried: [first], attempt_count: 2, round_attempts: 1 })
})

test.each<Lane>(['otp', 'transactional', 'bulk'])(
  'a worker that stood still beyond its lease returns a message that it has not sent, which is due at once: %s',
  async (lane) => {
    const [id] = (await queued(1, lane)) as [string]
    const late = await claimOne(id, -1)
    expect(await endExpiredAttempts(db, policy)).toEqual({ expired: 1, ended: 1 })
    expect(await claim([id])).toEqual([])
    await putBackClaims(db, [{ claim: late, afterMs: 0 }])
    expect(await attemptsOf(id)).toEqual([])
    expect(await rowOf(id)).toMatchObject({ status: 'queued', when_due: 'send', failure_reason: null, sending: false })
    expect(await claimOne(id)).toMatchObject({ tried: null, attempt_count: 1, round_attempts: 1 })
  },
)

test('a message returned after its lease keeps the list of accounts tried, and uses no step of the schedule', async () => {
  const [id] = (await queued(1)) as [string]
  await settleAttempts(db, [ended(await claimOne(id), first, failsOver)])
  const late = await claimOne(id, -1)
  expect(await endExpiredAttempts(db, policy)).toEqual({ expired: 1, ended: 1 })
  await putBackClaims(db, [{ claim: late, afterMs: 0 }])
  expect(await claimOne(id)).toMatchObject({ tried: [first], attempt_count: 2, round_attempts: 1 })
})

test('a worker cannot return a message after its lease that was claimed, retried or given up meanwhile, nor one that a carrier got', async () => {
  const ids = (await queued(4)) as [string, string, string, string]
  const [claimed, retried, givenUp, called] = ids
  const late = await claim([claimed, retried, givenUp], -1)
  expect(await endExpiredAttempts(db, policy)).toEqual({ expired: 3, ended: 3 })
  await db.run('update notifications set next_attempt_at = now() where id = $1', [claimed])
  await takeDueNotifications(db, channels)
  await claimOne(claimed)
  await db.run('update notifications set round_attempts = 0 where id = $1', [retried])
  await db.run(`update notifications set status = 'failed' where id = $1`, [givenUp])
  late.push(await claimOne(called))
  await settleAttempts(db, [{ ...ended(late.at(-1)!, first, waits), outcome: 'unknown' }])
  const before = await Promise.all(ids.map(rowOf))
  await putBackClaims(
    db,
    late.map((one) => ({ claim: one, afterMs: 0 })),
  )
  expect(await Promise.all(ids.map(rowOf))).toEqual(before)
  for (const id of ids) expect((await attemptsOf(id))[0]).toMatchObject({ number: 1, outcome: 'unknown' })
})

test.each<Lane>(['otp', 'transactional', 'bulk'])(
  'in a batch, messages to suppressed recipients fail permanently and are reported, the others are claimed: %s',
  async (lane) => {
    const [stopped, lifted, other] = (await queued(3, lane)) as [string, string, string]
    const recipient = (id: string, channel: 'sms' | 'email' = 'sms') => ({
      tenant_id: tenantId,
      channel,
      recipient_index: `index of ${id}`,
      recipient_masked: '+1***',
      reported_at: '2026-01-01T00:00:00Z',
    })
    await suppress(db.run, [
      { ...recipient(stopped), reason: 'stop' },
      { ...recipient(lifted), reason: 'stop' },
      { ...recipient(other, 'email'), reason: 'complaint' },
      { ...recipient(other), tenant_id: newId('ten'), reason: 'complaint' },
    ])
    const { reported_at: _, ...who } = recipient(lifted)
    await lift(db.run, { ...who, occurred_at: '2026-01-02T00:00:00Z' })
    const claimed = await claim([stopped, lifted, other])
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([lifted, other].toSorted())
    expect(await attemptsOf(stopped)).toEqual([])
    expect(await rowOf(stopped)).toMatchObject({
      status: 'failed',
      retryable: false,
      settled: true,
      revision: 2,
      failure_reason: 'recipient_suppressed: nothing is sent to this recipient any more (stop)',
    })
    const facts = await db.run<{ events: string }>(
      `select events from outbox where subject like 'dispatch.notification.%.sms.failed'`,
    )
    expect(facts.filter(({ events }) => events.includes(stopped))).toHaveLength(1)
    expect(await claim([stopped])).toEqual([])
  },
)

const receiptOf = ({ id, attempt_id }: Claim, status: Receipt['status'], code: string | null = null): Receipt => ({
  channel: 'sms',
  provider_id: first,
  provider_message_id: 'SM1',
  notification_id: id as `notif_${string}`,
  attempt_id: attempt_id as `att_${string}`,
  status,
  error_code: code,
  ...(code && { reason: `${code} Unreachable`, retryable: true }),
  received_at: new Date().toISOString(),
})

test('nothing is written over what is known of a delivered attempt: neither by the answer nor by a later receipt', async () => {
  const [id] = (await queued(1)) as [string]
  const early = await claimOne(id)
  await applyReceipts(db, [receiptOf(early, 'delivered')])
  await settleAttempts(db, [ended(early, first, failsOver)])
  await applyReceipts(db, [receiptOf(early, 'failed', '30007')])
  expect(await attemptsOf(id)).toEqual([{ number: 1, provider_id: first, outcome: 'accepted', provider_code: null }])
  expect(await rowOf(id)).toMatchObject({ status: 'delivered', failure_reason: null })
})

test('of two failures that a carrier reports the first stands, with the attempt as with the message', async () => {
  const [id] = (await queued(1)) as [string]
  const claimed = await claimOne(id)
  await applyReceipts(db, [receiptOf(claimed, 'undelivered', '30003')])
  await applyReceipts(db, [receiptOf(claimed, 'failed', '30007')])
  expect(await attemptsOf(id)).toMatchObject([{ provider_code: '30003' }])
  expect((await rowOf(id)).failure_reason).toMatch(/^30003/)
})

test('a lost hand-off of a lane is found however long the queue of another one is', async () => {
  const [bulk] = (await queued(1, 'bulk', 'in_app')) as [string]
  const [transactional, fresh] = (await queued(2, 'transactional', 'in_app')) as [string, string]
  await db.run(`update notifications set enqueued_at = now() - interval '1 hour' where id = any ($1)`, [
    [bulk, transactional],
  ])
  const lost = await requeueLostWork(db, channels, [
    { lane: 'transactional', channel: 'in_app', delivered_ms_ago: 60_000 },
    // Its oldest message is still with the bus.
    { lane: 'bulk', channel: 'in_app', delivered_ms_ago: 90 * 60_000 },
  ])
  expect(lost).toBe(1)
  const published = await db.run<{ events: string }>(`select events from outbox where subject like 'dispatch.inbox.%'`)
  expect([bulk, transactional, fresh].map((id) => published.some(({ events }) => events.includes(id)))).toEqual([
    false,
    true,
    false,
  ])
})

test('statements that meet at the same messages never wait for each other in a circle', async () => {
  for (let round = 0; round < 10; round++) {
    const ids = await queued(60)
    const claims = await claim(ids, -1)
    const settlements = claims.map((one) => ended(one, first, { status: 'sent' }))
    await Promise.all([
      settleAttempts(db, settlements.toReversed()),
      endExpiredAttempts(db, policy),
      applyReceipts(
        db,
        claims.map((one) => receiptOf(one, 'sent')),
      ),
      putBackClaims(
        db,
        claims.map((one) => ({ claim: one, afterMs: 0 })),
      ),
      claim(ids.toReversed()),
    ])
    const rows = await db.run<{ made: number; attempt_count: number }>(
      `select attempt_count, (select count(*)::int from attempts a where a.notification_id = n.id) as made
       from notifications n where id = any ($1)`,
      [ids],
    )
    for (const { attempt_count, made } of rows) expect(made).toBe(attempt_count)
  }
})
