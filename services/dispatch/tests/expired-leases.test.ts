import { beforeAll, expect, jest, test } from '@jest/globals'
import type { CarrierAnswer } from '@notify/carriers/sending'
import { type Lane, newId, type Receipt } from '@notify/contracts'
import type { Queries } from '@notify/database'
import fc from 'fast-check'
import { channels } from '../src/channels/registry.ts'
import type { Claim } from '../src/deliver/claim/claim-store.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { endExpiredAttempts } from '../src/deliver/schedule/end-expired-attempts.ts'
import { claimExpiredAttempts } from '../src/deliver/schedule/lease-store.ts'
import { createLeaseReconciler } from '../src/deliver/schedule/reconcile-leases.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { decideNext, type RetryPolicy, unknownReason } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const policy: RetryPolicy = {
  retryDelaysMs: [5000, 30_000],
  unknownGraceMs: 60_000,
  otpGraceMs: 10_000,
  random: () => 0.5,
}
/** The most that the schedule sends. */
const steps = policy.retryDelaysMs.length + 1

const providerId = newId('prov')
let own: OwnNotifications
beforeAll(async () => {
  const tenantId = newId('ten')
  own = createOwnNotifications(db, tenantId)
  await addProviders(db, tenantId, providerId)
})

const expire = () => endExpiredAttempts(db, policy)
const answerOf = (outcome: CarrierAnswer['outcome']): CarrierAnswer => ({
  outcome,
  code: null,
  message: 'The worker ended before it could record the answer',
  providerMessageId: null,
  retryAfterMs: null,
})
/** What a worker writes when its carrier call has ended. */
async function answer(claim: Claim, outcome: CarrierAnswer['outcome'], otherProvider = false): Promise<void> {
  const situation = { lane: claim.lane, step: claim.round_attempts, otherProvider }
  const { code, message, providerMessageId } = answerOf(outcome)
  await settleAttempts(db, [
    {
      notificationId: claim.id,
      attemptNumber: claim.attempt_count,
      attemptId: claim.attempt_id,
      leaseExpired: false,
      providerId: null,
      outcome,
      code,
      message,
      providerMessageId,
      next: decideNext(answerOf(outcome), situation, policy),
    },
  ])
}

/** Lets every wait of these messages be over, as their scheduler sees it. */
async function passTime(ids: readonly string[]): Promise<void> {
  await db.run(
    `update notifications set next_attempt_at = now() - interval '1 ms' where id = any ($1) and next_attempt_at is not null`,
    [ids],
  )
  await takeDueNotifications(db, channels)
}

/** What sending decides of a message, without its own ids and moments. */
async function standingOf(id: string) {
  const row = await own.rowOf(id)
  const { status, revision, failure_reason, retryable, when_due, failovers, round_attempts, attempt_count } = row
  const { sending, held_since, updated_at, next_attempt_at } = row as Record<string, Date | null>
  const attempts = await db.run<Record<string, unknown>>(
    `select number, outcome, ambiguous, provider_code, provider_message, finished_at is null as open
     from attempts where notification_id = $1 order by number`,
    [id],
  )
  return {
    ...{ status, revision, failure_reason, retryable, when_due, failovers, round_attempts, attempt_count, sending },
    isHeld: held_since !== null,
    waitsMs: next_attempt_at && next_attempt_at.getTime() - updated_at!.getTime(),
    attempts,
  }
}

test('an expired attempt begins a new hold: what it had waited before does not count again', async () => {
  const [id] = (await own.queued(1)) as [string]
  await db.run(`update notifications set held_since = now() - interval '1 hour' where id = $1`, [id])
  await own.claimOne(id, -1)
  expect(await expire()).toEqual({ expired: 1, ended: 1 })
  expect(await own.rowOf(id)).toMatchObject({ held_since: null })
})

test('an expired attempt does not affect an operator’s retry that waits for its first one', async () => {
  const [id] = (await own.queued(1)) as [string]
  await own.claimOne(id, -1)
  await db.run('update notifications set sending = false, round_attempts = 0 where id = $1', [id])
  expect(await expire()).toEqual({ expired: 1, ended: 1 })
  expect(await own.rowOf(id)).toMatchObject({ next_attempt_at: null, when_due: 'send' })
  expect(await own.claimOne(id)).toMatchObject({ attempt_count: 2, round_attempts: 1 })
})

test('more expired attempts than a batch are ended batch by batch, each once, however many reconcile', async () => {
  const ids = await own.queued(1100)
  await own.claim(ids, -1)
  let ended = 0
  for (let round = 0; round < 8 && ended < ids.length; round++) {
    for (const result of await Promise.all([expire(), expire(), expire()])) ended += result.ended
  }
  expect(ended).toBe(ids.length)
  const [row] = await db.run<Record<string, number>>(
    `select count(*)::int as waiting, max(round_attempts)::int as steps from notifications
     where id = any ($1) and not sending and next_attempt_at > now() and when_due = 'send'`,
    [ids],
  )
  expect(row).toEqual({ waiting: ids.length, steps: 1 })
})

test('after an outage of Postgres workers first record what their carriers answered, though their leases are over', async () => {
  const [id, lost] = (await own.queued(2, 'bulk')) as [string, string]
  const claim = await own.claimOne(id, -1)
  await own.claimOne(lost, -1)
  let away = true
  const run: typeof db.run = async (statement, values) => {
    if (away) throw new Error('Connection terminated unexpectedly')
    return db.run<never>(statement as never, values)
  }
  const reconcile = createLeaseReconciler({ ...db, run }, policy)
  await expect(reconcile()).rejects.toThrow('Connection terminated')
  away = false
  expect(await reconcile()).toEqual({ inMs: expect.any(Number) })
  await answer(claim, 'accepted')
  const now = performance.now.bind(performance)
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3000)
  expect(await reconcile()).toEqual({ expired: 1, ended: 1 })
  clock.mockRestore()
  expect(await own.attemptsOf(id)).toMatchObject([{ outcome: 'accepted' }])
})

test('without an outage an expired attempt is ended at once', async () => {
  const [id] = (await own.queued(1)) as [string]
  await own.claimOne(id, -1)
  expect(await createLeaseReconciler(db, policy)()).toEqual({ expired: 1, ended: 1 })
})

test('a reconciler that dies before it settles leaves the attempt to the next one', async () => {
  const [id] = (await own.queued(1)) as [string]
  await own.claimOne(id, -1)
  expect(await claimExpiredAttempts(db, -1)).toMatchObject([{ notification_id: id, number: 1 }])
  expect(await expire()).toEqual({ expired: 1, ended: 1 })
  expect(await own.attemptsOf(id)).toMatchObject([{ outcome: 'unknown' }])
})

test('a reconciler that comes late changes nothing: not what the worker wrote, nor the attempt that has its number now', async () => {
  const [answered, putBack] = (await own.queued(2, 'bulk')) as [string, string]
  const claims = [await own.claimOne(answered, -1), await own.claimOne(putBack, -1)] as const
  const late: Queries = {
    ...db,
    async run(statement, values) {
      const rows = await db.run<never>(statement as never, values)
      if (typeof statement !== 'string' && statement.name === 'claim-expired-attempts') {
        await answer(claims[0], 'accepted')
        await putBackClaims(db, [{ claim: claims[1], afterMs: 0 }])
        expect(await own.claimOne(putBack)).toMatchObject({ attempt_count: 1 })
      }
      return rows
    },
  }
  expect(await endExpiredAttempts(late, policy)).toEqual({ expired: 2, ended: 0 })
  expect(await standingOf(answered)).toMatchObject({ status: 'sent', attempts: [{ outcome: 'accepted' }] })
  expect(await standingOf(putBack)).toMatchObject({ sending: true, attempts: [{ outcome: null, open: true }] })
})

test.each<Lane>(['otp', 'transactional', 'bulk'])(
  'a worker that answers after its lease: what the carrier took is not sent again: %s',
  async (lane) => {
    const [id] = (await own.queued(1, lane)) as [string]
    const claim = await own.claimOne(id, -1)
    await expire()
    await answer(claim, 'accepted')
    await passTime([id])
    expect(await own.claim([id])).toEqual([])
    expect(await own.rowOf(id)).toMatchObject({ status: 'sent', failure_reason: null, next_attempt_at: null })
  },
)

/** A campaign's message whose worker stands still until it was given up. */
async function givenUp(): Promise<Claim> {
  const [id] = (await own.queued(1, 'bulk')) as [string]
  const claim = await own.claimOne(id, -1)
  await expire()
  await passTime([id])
  expect(await own.rowOf(id)).toMatchObject({ status: 'failed', failure_reason: unknownReason, retryable: true })
  return claim
}
const factsOf = async (id: string) =>
  (
    await db.run<{ event: Record<string, unknown> }>(
      `select one -> 'event' as event from outbox cross join json_array_elements(events::json) as one
       where one -> 'event' ->> 'notification_id' = $1 order by (one -> 'event' ->> 'revision')::int`,
      [id],
    )
  ).map(({ event }) => event)

test('a worker that answers after its message was given up: what the carrier took is sent, and is not sent again', async () => {
  const claim = await givenUp()
  const { id } = claim
  await answer(claim, 'accepted')
  await answer(claim, 'accepted')
  const sent = { status: 'sent', failure_reason: null, retryable: false, settled: false, sending: false }
  expect(await own.rowOf(id)).toMatchObject(sent)
  expect(await own.attemptsOf(id)).toMatchObject([{ outcome: 'accepted' }])
  expect(await db.run('select status, settled from in_flight where id = $1', [id])).toEqual([
    { status: 'sent', settled: false },
  ])
  const receipt = { notification_id: id, attempt_id: claim.attempt_id, provider_id: providerId }
  await applyReceipts(db, [{ ...receipt, provider_message_id: 'm', status: 'delivered' } as Receipt])
  expect(await factsOf(id)).toMatchObject([
    { status: 'failed', revision: 2 },
    { status: 'sent', revision: 3, after_failure: true },
    { status: 'delivered', revision: 4, after_failure: true },
  ])
})

test('a worker that answers after its message was given up changes nothing that was decided otherwise', async () => {
  const [refused, reported, retried] = [await givenUp(), await givenUp(), await givenUp()]
  await answer(refused, 'rejected_permanent')
  const receipt = { notification_id: reported.id, attempt_id: reported.attempt_id, provider_id: providerId }
  await applyReceipts(db, [{ ...receipt, provider_message_id: 'm', status: 'delivered' } as Receipt])
  await answer(reported, 'accepted')
  await db.run(`update notifications set status = 'queued', round_attempts = 0, retryable = false where id = $1`, [
    retried.id,
  ])
  await answer(retried, 'accepted')
  expect(await own.rowOf(refused.id)).toMatchObject({
    status: 'failed',
    failure_reason: unknownReason,
    retryable: true,
  })
  expect(await own.rowOf(reported.id)).toMatchObject({ status: 'delivered' })
  expect(await own.rowOf(retried.id)).toMatchObject({ status: 'queued' })
})

test('a worker that answers after its lease: a campaign’s message that the carrier refused is sent again', async () => {
  const [id] = (await own.queued(1, 'bulk')) as [string]
  const claim = await own.claimOne(id, -1)
  await expire()
  expect(await own.rowOf(id)).toMatchObject({ when_due: 'give_up', failure_reason: unknownReason })
  await answer(claim, 'rejected_retryable')
  await passTime([id])
  expect(await own.claimOne(id)).toMatchObject({ attempt_count: 2 })
})

test('a worker that answers when another one sends already changes its own attempt alone', async () => {
  const [id] = (await own.queued(1)) as [string]
  const claim = await own.claimOne(id, -1)
  await expire()
  await passTime([id])
  await own.claimOne(id)
  await answer(claim, 'rejected_permanent')
  expect(await own.rowOf(id)).toMatchObject({ status: 'queued', sending: true, attempt_count: 2 })
  expect(await own.attemptsOf(id)).toMatchObject([{ outcome: 'rejected_permanent' }, { outcome: null }])
})

/** How an attempt ends; `unknown` as a worker records it or as the reconciler does. */
type End =
  | { kind: 'unknown' }
  | { kind: 'refused'; otherProvider: boolean }
  | { kind: 'put back'; held: boolean }
  | { kind: 'receipt'; status: 'sent' | 'delivered' }

const anyEnd: fc.Arbitrary<End> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<End>({ kind: 'unknown' }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('refused' as const), otherProvider: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put back' as const), held: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('receipt' as const), status: fc.constantFrom('sent', 'delivered') }),
  },
)

/** Two messages with the same history; the unknown attempts of one are recorded by its worker, the other's expire. */
interface Twins {
  lane: Lane
  script: End[]
  byWorker: string
  byLease: string
}

async function end(claim: Claim, step: End, expires: boolean): Promise<void> {
  switch (step.kind) {
    case 'unknown':
      if (!expires) await answer(claim, 'unknown')
      return
    case 'refused':
      return answer(claim, 'rejected_retryable', step.otherProvider)
    case 'put back':
      return putBackClaims(db, [{ claim, afterMs: 0, held: step.held }])
    case 'receipt':
      // The receipt comes before the answer, and the answer never does.
      await db.run(`update notifications set status = $2, revision = revision + 1 where id = $1`, [
        claim.id,
        step.status,
      ])
      if (!expires) await answer(claim, 'unknown')
  }
}

const expires = ({ kind }: End) => kind === 'unknown' || kind === 'receipt'

test('whatever came before: an expired attempt is followed by what follows an unknown answer, within the policy', async () => {
  const script = fc.record({
    lane: fc.constantFrom<Lane>('otp', 'transactional', 'bulk'),
    script: fc.array(anyEnd, { minLength: 2, maxLength: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 6, maxLength: 12 }), async (histories) => {
      const twins = await Promise.all(
        histories.map(async (history): Promise<Twins> => {
          const [byWorker, byLease] = (await own.queued(2, history.lane)) as [string, string]
          return { ...history, byWorker, byLease }
        }),
      )
      const ids = twins.flatMap(({ byWorker, byLease }) => [byWorker, byLease])
      const steps = Math.max(...twins.map((one) => one.script.length))
      for (let step = 0; step < steps; step++) {
        const claims = new Map<string, Claim>((await own.claim(ids)).map((claim) => [claim.id, claim]))
        for (const { script: ends, byWorker, byLease } of twins) {
          const one = ends[step]
          const [worker, lease] = [claims.get(byWorker), claims.get(byLease)]
          expect(lease?.round_attempts).toBe(worker?.round_attempts)
          if (!worker || !lease) continue
          // What the script does not say any more: the worker of one dies as that of the other gets no answer.
          const ending = one ?? { kind: 'unknown' }
          await end(worker, ending, false)
          await end(lease, ending, expires(ending))
          if (expires(ending)) {
            await db.run(`update attempts set lease_until = now() - interval '1 s' where id = $1`, [lease.attempt_id])
          }
        }
        await expire()
        for (const { lane, script: ends, byWorker, byLease } of twins) {
          const standing = await standingOf(byLease)
          const expected = await standingOf(byWorker)
          // A put-back leaves the moment of the claim behind, from which no wait can be measured.
          const { waitsMs } = ends[step]?.kind === 'put back' ? standing : expected
          expect(standing).toEqual({ ...expected, waitsMs })
          expectWithinPolicy(lane, standing)
        }
        await passTime(ids)
      }
    }),
    { numRuns: 8 },
  )
})

/** Steps are bounded, a campaign is never sent again after an unknown outcome, and each notification has a next step. */
function expectWithinPolicy(lane: Lane, standing: Awaited<ReturnType<typeof standingOf>>): void {
  const { status, sending, waitsMs, when_due, attempts, round_attempts } = standing
  expect(sending).toBe(false)
  expect(round_attempts).toBeLessThanOrEqual(steps)
  // A failure waits first; what is sent again may be due at once.
  if (status === 'queued' && when_due === 'give_up') expect(waitsMs).not.toBeNull()
  const unknown = attempts.filter(({ outcome }) => outcome === 'unknown').length
  expect(unknown).toBeLessThanOrEqual(lane === 'bulk' ? 1 : steps)
  if (lane === 'bulk' && unknown > 0) {
    expect(attempts.at(-1)).toMatchObject({ outcome: 'unknown' })
    if (status === 'queued') expect(when_due).toBe('give_up')
  }
}
