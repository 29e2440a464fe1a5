import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt, type ReceiptStatus } from '@notify/contracts'
import { attemptsAgree } from '@notify/test-kit/database'
import fc from 'fast-check'
import { channels } from '../src/channels/registry.ts'
import type { Claim } from '../src/deliver/claim/claim-store.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { endExpiredAttempts } from '../src/deliver/schedule/end-expired-attempts.ts'
import { endExpiredNotifications } from '../src/deliver/schedule/expiry-store.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { decideNext, type RetryPolicy } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { checkBalance } from '../src/upkeep/check-balance.ts'
import { eraseNotifications } from '../src/upkeep/erasure-store.ts'
import { addProviders, createOwnNotifications, type OwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const tenantId = newId('ten')
const providerId = newId('prov')
const policy: RetryPolicy = { retryDelaysMs: [5000], unknownGraceMs: 60_000, otpGraceMs: 10_000, random: () => 0.5 }

let own: OwnNotifications
beforeAll(async () => {
  own = createOwnNotifications(db, tenantId)
  await addProviders(db, tenantId, providerId)
})
const agree = () => attemptsAgree((text) => db.run<never>(text, []))
afterEach(agree)

const report = ({ id, attempt_id }: Claim, status: ReceiptStatus) =>
  applyReceipts(db, [
    {
      ...{ channel: 'sms', provider_id: providerId, provider_message_id: `SM ${attempt_id}`, notification_id: id },
      ...{ attempt_id, status, error_code: null, received_at: new Date().toISOString() },
    } as Receipt,
  ])

/** What a worker writes when its carrier call has ended. */
function answer(claim: Claim, outcome: 'accepted' | 'rejected_retryable' | 'unknown', otherProvider: boolean) {
  const said = { outcome, code: null, message: null, providerMessageId: null, retryAfterMs: null }
  const { id: notificationId, attempt_count: attemptNumber, attempt_id: attemptId } = claim
  const next = decideNext(said, { lane: claim.lane, step: claim.round_attempts, otherProvider }, policy)
  return settleAttempts(db, [
    { notificationId, attemptNumber, attemptId, leaseExpired: false, providerId, ...said, next },
  ])
}

const expireLeases = async () => {
  await db.run(`update attempts set lease_until = now() - interval '1 s' where finished_at is null`)
  await endExpiredAttempts(db, policy)
}
const passTime = async () => {
  await db.run(`update notifications set next_attempt_at = now() where next_attempt_at is not null`)
  await takeDueNotifications(db, channels)
}

/** A message that the first attempt delivered, as is reported while the second is under way. */
async function deliveredMeanwhile(): Promise<{ id: string; second: Claim }> {
  const [id] = (await own.queued(1)) as [string]
  const first = await own.claimOne(id)
  await expireLeases()
  await passTime()
  const second = await own.claimOne(id)
  await report(first, 'delivered')
  return { id, second }
}

test.each<ReceiptStatus>(['sent', 'delivered', 'undelivered', 'failed', 'read'])(
  'a receipt %s that changes no state ends the sending of its attempt, whose worker was killed: a person can be erased',
  async (status) => {
    const { id, second } = await deliveredMeanwhile()
    const { revision } = await own.rowOf(id)
    expect((await report(second, status)).ids).toEqual([])
    expect(await own.rowOf(id)).toMatchObject({ status: 'delivered', revision, sending: false, failure_reason: null })
    expect(await eraseNotifications(db, { tenantId, index: `index of ${id}`, forgetStops: false } as never)).toBe(1)
  },
)

test('the balance counts open attempts whose notification is not being sent', async () => {
  const [id] = (await own.queued(1)) as [string]
  await own.claimOne(id)
  expect(await checkBalance(db)).toMatchObject({ unmatched: 0 })
  await db.run('update notifications set sending = false where id = $1', [id])
  expect(await checkBalance(db)).toMatchObject({ unmatched: 1 })
  await expireLeases()
  expect(await checkBalance(db)).toMatchObject({ unmatched: 0 })
})

/** A step of one message; a worker that is killed takes none. `back`: attempts before the last one. */
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'claim' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      outcome: fc.constantFrom('accepted' as const, 'rejected_retryable' as const, 'unknown' as const),
      otherProvider: fc.boolean(),
      back: fc.nat(2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('receipt' as const),
      status: fc.constantFrom<ReceiptStatus>('sent', 'delivered', 'undelivered', 'failed', 'read'),
      back: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put back' as const), back: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'operator retries' as const }) },
)

test('whatever is killed, reported, put back and retried, in any order: sending, open attempts and what is in flight agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyStep, { minLength: 6, maxLength: 14 }), { minLength: 6, maxLength: 10 }),
      async (scripts) => {
        const ids = await own.queued(scripts.length)
        const claims = ids.map(() => [] as Claim[])
        for (let at = 0; at < 14; at++) {
          for (const [index, script] of scripts.entries()) {
            const step = script[at]
            const made = claims[index]!
            if (step?.kind === 'claim') made.push(...(await own.claim([ids[index]!])))
            if (step?.kind === 'operator retries')
              await db.run(
                `update notifications set status = 'queued', round_attempts = 0, failovers = 0, sending = false, revision = revision + 1
               where id = $1 and status in ('failed', 'undelivered')`,
                [ids[index]],
              )
            const claim = step && 'back' in step ? made.at(-1 - (step.back % Math.max(1, made.length))) : undefined
            if (!claim) continue
            if (step?.kind === 'answer') await answer(claim, step.outcome, step.otherProvider)
            if (step?.kind === 'receipt') await report(claim, step.status)
            if (step?.kind === 'put back') await putBackClaims(db, [{ claim, afterMs: 0 }])
          }
          await agree()
          if (at % 2 === 1) await expireLeases()
          await passTime()
          await endExpiredNotifications(db)
          await agree()
        }
        await expireLeases()
        const [left] = await db.run<{ count: number }>(
          'select count(*)::int as count from notifications where sending',
          [],
        )
        expect(left).toEqual({ count: 0 })
      },
    ),
    { numRuns: 12 },
  )
})
