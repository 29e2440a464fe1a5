import { beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, few, many, useOwnSchema } from '@notify/test-kit/database'
import { type DuePage, waitingOf } from '../src/audiences/broadcasts/page-store.ts'
import { channels } from '../src/channels/registry.ts'
import { migrations } from '../src/db/migrations.ts'
import { claimForSending } from '../src/deliver/claim/claim-store.ts'
import { findReadyQueues } from '../src/deliver/queues/queue-store.ts'
import { mayHaveLostWork } from '../src/deliver/schedule/look-lost-work.ts'
import { requeueLostWork } from '../src/deliver/schedule/requeue-lost-work.ts'

const tables = ['notifications', 'attempts', 'in_flight']
const [campaign, neighbour, retried, lost] = ['campaign', 'neighbour', 'retried', 'lost']
const lane = { lane: 'bulk', channel: 'sms' } as const

const claimOneOf =
  (...applications: string[]) =>
  (on: Queries) =>
    claimForSending(
      on,
      lane,
      applications.map((application_id) => ({ key: { tenant_id: 'ten_1', application_id, mode: 'live' }, most: 1 })),
      applications.map(() => newId('att')),
      60,
    )

const countWaitingOf = (application_id: string) => (on: Queries) =>
  waitingOf(on, { channel: 'sms', application_id, mode: 'live' } as DuePage, few)

const statements: { name: string; run(db: Queries): Promise<unknown> }[] = [
  { name: 'claim of the neighbour', run: claimOneOf(neighbour) },
  { name: 'claim of the campaign itself', run: claimOneOf(campaign) },
  { name: 'claim beside messages that are due and not queued yet', run: claimOneOf(retried, neighbour) },
  { name: 'count of the campaign', run: countWaitingOf(campaign) },
  { name: 'count of messages that are due and not queued yet', run: countWaitingOf(retried) },
  { name: 'ready queues', run: (on) => findReadyQueues(on, [lane]) },
  { name: 'look for lost work', run: (on) => mayHaveLostWork(on, [lane], 3_600_000) },
  { name: 'lost work', run: (on) => requeueLostWork(on, channels, [{ ...lane, delivered_ms_ago: 3_600_000 }]) },
]

// How many messages waited when the connection made its plans: the planner judges each size differently.
describe.each([0, few, many / 10])('with plans from when %i messages waited', (planned) => {
  let db: Queries
  useOwnSchema('dispatch', { migrations, poolSize: 1 }, (own) => {
    db = own.db
  })

  /** Bulk messages of an application that wait. @param next when their next attempt is due, as SQL */
  const fill = (application: string, count: number, { enqueued = 'now()', next = 'null' } = {}) =>
    db.runLong(
      `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload,
         enqueued_at, next_attempt_at)
       select 'notif_' || gen_random_uuid(), 'ten_1', $2, 'sms', 'bulk', 'live', '+1***', 'index ' || i, 1, '', ${enqueued}, ${next}
       from generate_series(1, $1::int) as i`,
      [count, application],
    )

  beforeAll(async () => {
    for (const table of tables) await db.run(`alter table ${table} set (autovacuum_enabled = false)`)
    // Several applications, so that few messages seem to belong to each.
    for (let at = 0; at < 10; at++) await fill(`app ${at}`, planned / 10)
    if (planned > 0) await db.run(`analyze ${tables.join(', ')}`)
    for (const { run } of statements) await run(db)
    await fill(campaign, many)
    await fill(neighbour, few)
    await fill(retried, many / 2, { next: 'now()' })
    await fill(lost, 1, { enqueued: `now() - interval '2 hours'` })
  })

  test.each(statements)('a statement about one message does not read all that wait: $name', async ({ run }) => {
    expect(await countRowsRead(db, tables, run)).toBeLessThan(2 * few)
  })
})
