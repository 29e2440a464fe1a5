import { beforeAll, expect, test } from '@jest/globals'
import { newId, type Receipt, ReceiptStatus } from '@notify/contracts'
import fc from 'fast-check'
import { createReportRecorder } from '../src/outcome/hand-offs/record-report.ts'
import { attemptKey, planRounds } from '../src/outcome/receipts/fold-receipts.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { createReceiptRecorder } from '../src/outcome/receipts/record-receipt.ts'
import { createSentAttempts } from '../src/outcome/receipts/sent-attempts.ts'
import { type Current, isObservation, transition } from '../src/outcome/receipts/transition.ts'
import { addProviders, createOwnNotifications } from './own-notifications.ts'
import { db, env } from './own-schema.ts'

const tenantId = newId('ten')
const providerId = newId('prov')
const foreignProviderId = newId('prov')
const most = 3

beforeAll(async () => {
  await addProviders(db, tenantId, providerId)
  await addProviders(db, newId('ten'), foreignProviderId)
})

const changedBy = async (...[database, receipts]: Parameters<typeof applyReceipts>) =>
  new Set((await applyReceipts(database, receipts)).ids)

/** What happens to a notification, in its order. */
type Step =
  | { kind: 'attempt begins' | 'carrier took it' | 'operator retries' }
  /** `back` attempts before the last one, as far as there are. */
  | { kind: 'receipt'; status: ReceiptStatus; back: number }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record<Step & { kind: 'receipt' }>({
      kind: fc.constant('receipt'),
      status: fc.constantFrom(...ReceiptStatus.options),
      back: fc.nat(most - 1),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'attempt begins' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'carrier took it' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'operator retries' }) },
)

/** A notification and what the pure function says of it. */
interface Subject {
  id: `notif_${string}`
  attempts: `att_${string}`[]
  begun: number
  model: Current
}

async function begin(count: number): Promise<Subject[]> {
  const subjects = Array.from(
    { length: count },
    (): Subject => ({
      id: newId('notif'),
      attempts: Array.from({ length: most }, () => newId('att')),
      begun: 0,
      model: { status: 'queued', attempt: undefined },
    }),
  )
  await db.run(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits)
     select id, $2, 'app_1', 'sms', 'transactional', 'live', '+1***', 'index', 1 from unnest($1::text[]) as id`,
    [subjects.map(({ id }) => id), tenantId],
  )
  return subjects
}

const receiptOf = (subject: Subject, status: ReceiptStatus, attempt: number): Receipt => ({
  channel: 'sms',
  provider_id: providerId,
  provider_message_id: 'SM1',
  notification_id: subject.id,
  attempt_id: subject.attempts[attempt - 1]!,
  status,
  error_code: null,
  received_at: new Date().toISOString(),
})

/** Takes a step that is no receipt in both worlds, where it can be taken. */
async function take(subject: Subject, { kind }: Step): Promise<void> {
  const { id, model } = subject
  if (kind === 'attempt begins' && model.status === 'queued' && subject.begun < most) {
    const number = ++subject.begun
    subject.model = { status: 'queued', attempt: number }
    await db.run(
      `update notifications set attempt_count = $2, round_attempts = round_attempts + 1, sending = true where id = $1`,
      [id, number],
    )
    await db.run(`insert into attempts (notification_id, number, id, lease_until) values ($1, $2, $3, now())`, [
      id,
      number,
      subject.attempts[number - 1],
    ])
  }
  if (kind === 'carrier took it' && model.status === 'queued' && model.attempt !== undefined) {
    subject.model = { ...model, status: 'sent' }
    await db.run(`update notifications set status = 'sent', sending = false where id = $1`, [id])
  }
  if (kind === 'operator retries' && (model.status === 'failed' || model.status === 'undelivered')) {
    subject.model = { status: 'queued', attempt: undefined }
    await db.run(`update notifications set status = 'queued', round_attempts = 0, sending = false where id = $1`, [id])
  }
}

async function statusOf(subjects: readonly Subject[]) {
  const rows = await db.run<{ id: string; status: string; revision: number }>(
    `select id, status, revision from notifications where id = any ($1)`,
    [subjects.map(({ id }) => id)],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return subjects.map(({ id }) => byId.get(id)!)
}

test('the statement does what the function says, for any receipts of any attempts in any order, in batches', async () => {
  const script = fc.array(anyStep, { minLength: 6, maxLength: 18 })
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 4, maxLength: 12 }), async (scripts) => {
      const subjects = await begin(scripts.length)
      for (let at = 0; at < Math.max(...scripts.map(({ length }) => length)); at++) {
        const batch: Receipt[] = []
        const expected = new Set<string>()
        for (const [index, subject] of subjects.entries()) {
          const step = scripts[index]![at]
          if (step?.kind !== 'receipt') {
            if (step) await take(subject, step)
            continue
          }
          // The attempt that a receipt reports on is recorded before the carrier is called.
          if (subject.begun === 0) continue
          const attempt = subject.begun - (step.back % subject.begun)
          batch.push(receiptOf(subject, step.status, attempt))
          const next = transition(subject.model, { status: step.status, attempt })
          if (next === undefined) continue
          subject.model = { ...subject.model, status: next }
          expected.add(subject.id)
        }
        expect(await changedBy(db, batch)).toEqual(expected)
        const now = await statusOf(subjects)
        expect(now.map(({ status }) => status)).toEqual(subjects.map(({ model }) => model.status))
      }
    }),
    { numRuns: 25 },
  )
})

test('receipts that gather and are folded end where one after the other would have', async () => {
  const receipts = fc.array(
    fc.tuple(fc.nat(2), fc.constantFrom(...ReceiptStatus.options), fc.integer({ min: 1, max: 2 })),
    {
      maxLength: 30,
    },
  )
  await fc.assert(
    fc.asyncProperty(receipts, async (gathered) => {
      const subjects = await begin(3)
      for (const subject of subjects) {
        await take(subject, { kind: 'attempt begins' })
        await take(subject, { kind: 'attempt begins' })
      }
      const telling = gathered.filter(([, status]) => !isObservation(status))
      for (const round of planRounds(
        telling.map(([at, status, attempt]) => receiptOf(subjects[at]!, status, attempt)),
        attemptKey,
      )) {
        await applyReceipts(db, round)
      }
      for (const [at, status, attempt] of gathered) {
        const subject = subjects[at]!
        subject.model = {
          ...subject.model,
          status: transition(subject.model, { status, attempt }) ?? subject.model.status,
        }
      }
      const now = await statusOf(subjects)
      expect(now.map(({ status }) => status)).toEqual(subjects.map(({ model }) => model.status))
    }),
    { numRuns: 25 },
  )
})

test('statements that meet at one row are judged by what the row has become: none is lost, none lowers it', async () => {
  for (let round = 0; round < 15; round++) {
    const subjects = await begin(40)
    for (const subject of subjects) await take(subject, { kind: 'attempt begins' })
    const inSomeOrder = (statuses: ReceiptStatus[]) =>
      fc.sample(fc.shuffledSubarray(statuses, { minLength: statuses.length }), 1)[0]!
    const deliveredHalf = subjects.map((_, index) => index % 2 === 0)
    const rounds = inSomeOrder(['sent', 'sent', 'failed', 'delivered', 'sent']).map((status, at) => {
      const receipts = subjects.flatMap((subject, index) =>
        status === 'delivered' && !deliveredHalf[index] ? [] : [receiptOf(subject, status, 1)],
      )
      // Batches that overlap: rows are still locked in one order.
      return changedBy(db, at % 2 ? receipts.toReversed() : receipts)
    })
    await Promise.all(rounds)
    const now = await statusOf(subjects)
    expect(now.map(({ status }) => status)).toEqual(
      deliveredHalf.map((delivered) => (delivered ? 'delivered' : 'failed')),
    )
  }
})

test('a repeated receipt changes neither state nor revision, and publishes nothing', async () => {
  const [subject] = await begin(1)
  await take(subject!, { kind: 'attempt begins' })
  const receipt = receiptOf(subject!, 'undelivered', 1)
  expect(await changedBy(db, [receipt])).toEqual(new Set([subject!.id]))
  const before = await statusOf([subject!])
  const facts = async () => (await db.run<{ count: number }>('select count(*)::int as count from outbox'))[0]!.count
  const told = await facts()
  for (let again = 0; again < 3; again++) expect(await changedBy(db, [receipt])).toEqual(new Set())
  expect([await statusOf([subject!]), await facts()]).toEqual([before, told])
})

test('a receipt that tells nothing new does not wait for another writer of its notification', async () => {
  const [subject] = await begin(1)
  await take(subject!, { kind: 'attempt begins' })
  await applyReceipts(db, [receiptOf(subject!, 'sent', 1)])
  const before = await statusOf([subject!])
  const writer = await env.admin.connect()
  try {
    await writer.query('begin')
    await writer.query('select from dispatch.notifications where id = $1 for update', [subject!.id])
    expect(await changedBy(db, [receiptOf(subject!, 'sent', 1)])).toEqual(new Set())
  } finally {
    await writer.query('rollback')
    writer.release()
  }
  expect(await statusOf([subject!])).toEqual(before)
  expect(await changedBy(db, [receiptOf(subject!, 'delivered', 1)])).toEqual(new Set([subject!.id]))
})

test('a provider of another tenant moves nothing, nor does an attempt that is not the notification’s', async () => {
  const [one, other] = await begin(2)
  await take(one!, { kind: 'attempt begins' })
  await take(other!, { kind: 'attempt begins' })
  const foreign = { ...receiptOf(one!, 'delivered', 1), provider_id: foreignProviderId }
  const mixed = { ...receiptOf(one!, 'delivered', 1), attempt_id: other!.attempts[0]! }
  for (const receipt of [foreign, mixed]) expect(await changedBy(db, [receipt])).toEqual(new Set())
})

test('a receipt settles the attempt whose outcome was unknown, and nothing is due any more', async () => {
  const [subject] = await begin(1)
  await take(subject!, { kind: 'attempt begins' })
  await db.run(
    `update attempts set outcome = 'unknown', ambiguous = true, provider_code = 'ETIMEDOUT' where notification_id = $1`,
    [subject!.id],
  )
  await db.run(
    `update notifications set sending = false, next_attempt_at = now(), when_due = 'give_up' where id = $1`,
    [subject!.id],
  )
  await applyReceipts(db, [receiptOf(subject!, 'sent', 1)])
  expect(
    await db.run(
      `select n.status, n.next_attempt_at, n.when_due, a.outcome, a.ambiguous, a.provider_code, a.provider_message_id
       from notifications n join attempts a on a.notification_id = n.id where n.id = $1`,
      [subject!.id],
    ),
  ).toEqual([
    {
      status: 'sent',
      next_attempt_at: null,
      when_due: 'send',
      outcome: 'accepted',
      ambiguous: true,
      provider_code: null,
      provider_message_id: 'SM1',
    },
  ])
})

test('the end of a live message is reported once, with the kind of its provider; that of a test message is not', async () => {
  const [live, trial] = await begin(2)
  for (const subject of [live!, trial!]) await take(subject, { kind: 'attempt begins' })
  await db.run(`update notifications set mode = 'test' where id = $1`, [trial!.id])
  const receipts = (status: ReceiptStatus) => [live!, trial!].map((subject) => receiptOf(subject, status, 1))
  expect((await applyReceipts(db, receipts('sent'))).reported).toEqual([])
  const ended = { channel: 'sms', kind: 'twilio', status: 'undelivered' }
  expect((await applyReceipts(db, receipts('undelivered'))).reported).toEqual([ended])
  expect((await applyReceipts(db, receipts('undelivered'))).reported).toEqual([])
})

test('a receipt that Postgres refuses fails alone', async () => {
  const subjects = await begin(3)
  for (const subject of subjects) await take(subject, { kind: 'attempt begins' })
  const record = createReceiptRecorder({
    ...{ db, sentAttempts: createSentAttempts(), wakeOutbox() {}, countFailure() {} },
    metrics: { receipt() {}, took() {}, reported() {} } as never,
  })
  const reasons = ['No answer', 'Half of a character \ud83d', 'No answer']
  const receipts = subjects.map((subject, at) => ({
    ...receiptOf(subject, 'undelivered', 1),
    reason: reasons[at]!,
  }))
  const results = await Promise.allSettled(receipts.map(record))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const now = await statusOf(subjects)
  expect(now.map(({ status }) => status)).toEqual(['undelivered', 'queued', 'undelivered'])
})

test('a report on a hand-off that Postgres refuses fails alone', async () => {
  const ids = await createOwnNotifications(db, newId('ten')).queued(3, 'transactional', 'in_app')
  const record = createReportRecorder({ db, wakeOutbox() {}, metrics: { receipt() {}, took() {} } as never }, 'in_app')
  const report = { retry_count: 0, status: 'failed', retryable: false } as const
  const reasons = ['No answer', 'Half of a character \ud83d', 'No answer']
  const results = await Promise.allSettled(
    ids.map((id, at) => record({ ...report, notification_id: id as never, failure_reason: reasons[at]! })),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = await db.run<{ status: string }>('select status from notifications where id = any ($1) order by id', [
    ids,
  ])
  expect(rows.map(({ status }) => status)).toEqual(['failed', 'queued', 'failed'])
})
