import { beforeAll, expect, test } from '@jest/globals'
import { type Id, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, few, fillAfterPlanning, many, useOwnSchema } from '@notify/test-kit/database'
import { channels } from '../src/channels/registry.ts'
import { migrations } from '../src/db/migrations.ts'
import { claimForSending } from '../src/deliver/claim/claim-store.ts'
import { putBackAttempts, putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { findReadyQueues } from '../src/deliver/queues/queue-store.ts'
import { closeOverdueReceipts } from '../src/deliver/schedule/close-overdue-receipts.ts'
import { endExpiredNotifications } from '../src/deliver/schedule/expiry-store.ts'
import { claimExpiredAttempts } from '../src/deliver/schedule/lease-store.ts'
import { requeueLostWork } from '../src/deliver/schedule/requeue-lost-work.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { askForFailed } from '../src/outcome/inquiries/ask-for-failed.ts'
import { askForSent } from '../src/outcome/inquiries/ask-for-sent.ts'
import { compareRange } from '../src/outcome/notifications/compare-notifications.ts'
import { findCorrelations } from '../src/outcome/receipts/correlation-store.ts'
import { applyReceipts } from '../src/outcome/receipts/receipt-store.ts'
import { createEndedDeletion } from '../src/upkeep/retention-store.ts'
import { addProviders } from './own-notifications.ts'

const tables = ['notifications', 'attempts', 'in_flight']
const tenantId = newId('ten')
const providerId = newId('prov')

let db: Queries
useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})
beforeAll(async () => {
  await addProviders(db, tenantId, providerId)
  const runAll = async () => {
    for (const { run } of statements) await run(db, await someIds())
  }
  await fillAfterPlanning(db, { tables, fill, runAll })
  const [first] = await db.run<{ until: Date }>(
    `select min(since) + interval '50 ms' as until from in_flight where status = 'sent'`,
  )
  firstSent = first!.until
})

let firstSent = new Date()

/** Notifications of every kind that a statement looks for, each with one attempt. */
async function fill(count: number): Promise<void> {
  await db.runLong(
    `with inserted as (
       insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
         payload, status, attempt_count, round_attempts, created_at, updated_at)
       select 'notif_' || gen_random_uuid(), $2, 'app_1', 'sms', 'bulk', 'live', '+1***', 'index ' || i, 1, '',
         (array['sent', 'delivered', 'queued'])[i % 3 + 1], 1, 1, now(), now() - i * interval '1 ms'
       from generate_series(1, $1::int) as i
       returning id)
     insert into attempts (notification_id, number, id, lease_until, finished_at, outcome, provider_id, provider_message_id)
     select id, 1, 'att_' || gen_random_uuid(), now(), now(), 'accepted', $3, 'message of ' || id from inserted`,
    [count, tenantId, providerId],
  )
}

interface Sample {
  id: Id<'notif'>
  attempt_id: Id<'att'>
}

/** From all over the table. */
function someIds(): Promise<Sample[]> {
  return db.run<Sample>(
    `select n.id, a.id as attempt_id from notifications n join attempts a on a.notification_id = n.id
     order by n.recipient_index limit ${few}`,
  )
}

/** The carrier's ids of the messages of `someIds`. */
const carrierIdOf = ({ id }: Sample) => ({ provider_id: providerId, provider_message_id: `message of ${id}` })

const statements: { name: string; run(db: Queries, some: readonly Sample[]): Promise<unknown> }[] = [
  { name: 'find correlation', run: (on, some) => findCorrelations(on, some.map(carrierIdOf)) },
  {
    name: 'claim',
    run: (on, some) =>
      claimForSending(
        on,
        { lane: 'bulk', channel: 'sms' },
        [{ key: { tenant_id: tenantId, application_id: 'app_1', mode: 'live' }, most: some.length }],
        some.map(() => newId('att')),
        60,
      ),
  },
  { name: 'ready queues', run: (on) => findReadyQueues(on, [{ lane: 'bulk', channel: 'sms' }]) },
  {
    name: 'attempts of a lost claim',
    run: (on, some) =>
      putBackAttempts(
        on,
        some.map(({ attempt_id }) => attempt_id),
      ),
  },
  {
    name: 'put back',
    run: (on, some) =>
      putBackClaims(
        on,
        some.map(({ id, attempt_id }) => ({ claim: { id, attempt_id }, afterMs: 0 })),
      ),
  },
  {
    name: 'settle',
    run: (on, some) =>
      settleAttempts(
        on,
        some.map(({ id, attempt_id }) => ({
          notificationId: id,
          attemptNumber: 1,
          attemptId: attempt_id,
          leaseExpired: false,
          providerId,
          outcome: 'accepted',
          code: null,
          message: null,
          providerMessageId: null,
          next: { status: 'sent' },
        })),
      ),
  },
  {
    name: 'receipts',
    run: (on, some) =>
      applyReceipts(
        on,
        some.map(({ id, attempt_id }) => ({
          channel: 'sms',
          provider_id: providerId,
          provider_message_id: 'SM1',
          notification_id: id as `notif_${string}`,
          attempt_id: attempt_id as `att_${string}`,
          status: 'delivered',
          error_code: null,
          received_at: new Date().toISOString(),
        })),
      ),
  },
  { name: 'due', run: (on) => takeDueNotifications(on, channels) },
  { name: 'expired messages', run: (on) => endExpiredNotifications(on) },
  { name: 'expired leases', run: (on) => claimExpiredAttempts(on, 60) },
  { name: 'overdue receipts', run: (on) => closeOverdueReceipts(on, ['sms', 'email'], 3_600_000) },
  {
    name: 'lost work',
    run: (on) => requeueLostWork(on, channels, [{ lane: 'bulk', channel: 'sms', delivered_ms_ago: 3_600_000 }]),
  },
  { name: 'retention', run: (on) => createEndedDeletion(on)(new Date(0)) },
  { name: 'inquiry of sent ones', run: (on) => askForSent(on, channels, '2026-01-01T00:00:00Z', firstSent) },
  { name: 'inquiry of failed ones', run: (on, some) => askForFailed(on, some[0]!.id, `${some[0]!.id}z`) },
]

test.each(statements)(
  'a plan from when the tables were small still reaches its rows by an index: $name',
  async ({ run }) => {
    const some = await someIds()
    const read = await countRowsRead(db, tables, (on) => run(on, some))
    expect(read).toBeLessThan(many / 20)
  },
)

test('a comparison examines a few thousand notifications at once, however few are of the lanes, and the next ones reach the end', async () => {
  const [until, known] = ['notif_zz', {}]
  await db.run(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload, updated_at)
     values ('notif_z', $1, 'app_1', 'sms', 'transactional', 'live', '+1***', 'index', 1, '', now() - interval '1 hour')`,
    [tenantId],
  )
  const found: string[] = []
  let after = ''
  while (after !== until) {
    const read = await countRowsRead(db, tables, async (on) => {
      const range = { after, until, lanes: ['transactional' as const], quiet_seconds: 60, known }
      const { facts, reached } = await compareRange(on, range)
      found.push(...facts.map(({ notification_id }) => notification_id))
      after = reached
    })
    expect(read).toBeLessThan(many * 0.6)
  }
  expect(found).toEqual(['notif_z'])
})

test('no statement is planned again for its parameters', async () => {
  const planned = await db.run<{ name: string }>(
    'select name from pg_prepared_statements where custom_plans > 0 order by name',
  )
  expect(planned).toEqual([])
})
