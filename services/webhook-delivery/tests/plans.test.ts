import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Person, Queries } from '@notify/database'
import { eventually, type TestEnv } from '@notify/dev-env'
import { countRowsRead, entriesOfBatch, few, fillAfterPlanning, many, useOwnSchema } from '@notify/test-kit/database'
import type { TestKit } from '@notify/test-kit/kit'
import { migrations } from '../src/db/migrations.ts'
import { createDeliveryDeletion, deleteOrphans } from '../src/deliveries/delete-old.ts'
import { listDeliveryRows } from '../src/deliveries/delivery-store.ts'
import { insertDeliveries, type NewDelivery } from '../src/deliveries/insert-deliveries.ts'
import { settleDeliveries } from '../src/deliveries/settle-deliveries.ts'
import { takeDeliveries } from '../src/deliveries/take-deliveries.ts'
import { claimEndpoints, endpointsDueInMs, endpointsOverdueSeconds } from '../src/endpoints/claim-endpoints.ts'
import { mendEndpoints } from '../src/endpoints/mend-endpoints.ts'
import { releaseEndpoints } from '../src/endpoints/release-endpoints.ts'
import { renewEndpoints } from '../src/endpoints/renew-endpoints.ts'
import { readDeliveries } from '../src/erasure/read-deliveries.ts'
import { findHandOffs } from '../src/hand-offs/hand-off-store.ts'
import { reportSent } from '../src/hand-offs/report-sent.ts'
import { replayPages } from '../src/replays/replay-pages.ts'
import { countExhausted, insertReplay } from '../src/replays/replay-store.ts'
import { findSubscribers } from '../src/subscriptions/subscription-store.ts'

const tables = ['deliveries', 'attempts', 'endpoints']
/** Their deliveries are spread evenly over these. */
const endpoints = ['whsub_0', 'whsub_1', 'whsub_2', 'whsub_3']
const tenantId = newId('ten')
const applicationId = newId('app')

let env: TestEnv
let kit: TestKit
let db: Queries
useOwnSchema('webhook-delivery', { migrations, poolSize: 1 }, (own) => {
  ;({ env, kit, db } = own)
})
beforeAll(async () => {
  await db.run(
    'insert into endpoints (id, tenant_id, next_due_at) select id, $2, now() from unnest($1::text[]) as id',
    [endpoints, tenantId],
  )
  const runAll = async () => {
    for (const { run } of statements) await run(db, await someIds())
  }
  await fillAfterPlanning(db, { tables, fill, runAll })
})

/**
 * Deliveries in every state, each with one attempt, and as many endpoints of another tenant: those that nothing waits for, due
 * ones, and those that keep failing.
 */
async function fill(count: number): Promise<void> {
  await db.runLong(
    `insert into endpoints (id, tenant_id, struggling, next_due_at)
     select 'origin_' || gen_random_uuid(), $2, i % 3 = 0, case when i % 3 < 2 then now() - interval '1 hour' end
     from generate_series(1, $1::int) as i`,
    [count, newId('ten')],
  )
  await db.runLong(
    `with inserted as (
       insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, event_type, body, status,
         attempts, next_attempt_at, finished_at)
       select 'whdel_' || gen_random_uuid(), $2, $3, 'whsub_' || i % 4, 'whsub_' || i % 4, 'notif_' || gen_random_uuid(),
         'notification.failed', '', state, 1,
         case state when 'pending' then now() - interval '1 minute' end, case when state <> 'pending' then now() - i * interval '1 millisecond' end
       from (select i, (array['pending', 'succeeded', 'exhausted'])[i % 3 + 1] as state from generate_series(1, $1::int) as i) as n
       returning id)
     insert into attempts (delivery_id, number) select id, 1 from inserted`,
    [count, tenantId, applicationId],
  )
}

/** Pending deliveries from all over the table. */
async function someIds(): Promise<string[]> {
  const rows = await db.run<{ id: string }>(
    `select id from deliveries where status = 'pending' order by md5(id) limit ${few}`,
  )
  return rows.map(({ id }) => id)
}

const newDelivery = (): NewDelivery => ({
  id: newId('whdel'),
  tenant_id: tenantId,
  application_id: applicationId,
  endpoint_id: 'whsub_0',
  subscription_id: 'whsub_0',
  notification_id: newId('notif'),
  retry_count: 0,
  event_type: 'notification.failed',
  provider_id: null,
  url: null,
  body: Buffer.alloc(1),
  traceparent: null,
  recipient_index: null,
})
const verdict = {
  outcome: 'failed',
  charged: true,
  status: 500,
  error: 'the receiver answered 500',
  nextInMs: 5000,
  gone: false,
  retryable: true,
} as const
const since = new Date(Date.now() - 3_600_000).toISOString()
const monthMs = 30 * 86_400_000

interface Sample {
  name: string
  /** Planned again for each call, so with its values. */
  unnamed?: true
  run(db: Queries, some: readonly string[]): Promise<unknown>
}

/** Of a process that delivers to nobody yet. */
const rooms = { known: {}, other: 8 }

const statements: Sample[] = [
  { name: 'insert', run: ({ run }) => insertDeliveries(run, Array.from({ length: few }, newDelivery)) },
  {
    name: 'claim endpoints',
    run: ({ run }) => claimEndpoints(run, { limit: 4, leaseMs: 0, struggling: false, rooms }),
  },
  { name: 'look at healthy endpoints', run: ({ run }) => endpointsDueInMs(run, false) },
  { name: 'look at struggling endpoints', run: ({ run }) => endpointsDueInMs(run, true) },
  { name: 'measure overdue endpoints', run: ({ run }) => endpointsOverdueSeconds(run) },
  {
    name: 'take',
    run: ({ run }) =>
      takeDeliveries(
        run,
        endpoints.map((endpoint_id) => ({ endpoint_id, room: 5 })),
        0,
      ),
  },
  {
    name: 'settle',
    run: ({ run }, some) =>
      settleDeliveries(
        run,
        some.map((deliveryId) => ({ deliveryId, number: 1, verdict, durationMs: 5, response: null })),
      ),
  },
  {
    name: 'renew endpoints',
    run: ({ run }) =>
      renewEndpoints(
        run,
        endpoints.map((id) => ({ id, lease: since })),
        0,
      ),
  },
  {
    name: 'release endpoints',
    run: ({ run }) =>
      releaseEndpoints(
        run,
        endpoints.map((id) => ({ id, lease: since })),
      ),
  },
  { name: 'mend endpoints', run: ({ run }) => mendEndpoints(run, '') },
  {
    name: 'list all states',
    unnamed: true,
    run: ({ run }) => listDeliveryRows(run, { id: 'whsub_0', status: undefined }, { after: undefined, limit: few }),
  },
  {
    name: 'list one state',
    unnamed: true,
    run: ({ run }) => listDeliveryRows(run, { id: 'whsub_0', status: 'exhausted' }, { after: undefined, limit: few }),
  },
  {
    name: 'replay',
    unnamed: true,
    async run(on) {
      await insertReplay(on.run, { subscriptionId: 'whsub_0', tenantId, since }, 0)
      await replayPages({ db: on, log: kit.log }, few)
    },
  },
  {
    name: 'the last page of a replay that was requested before them',
    unnamed: true,
    async run(on) {
      await insertReplay(on.run, { subscriptionId: 'whsub_1', tenantId, since }, 0)
      await on.run(`update replays set requested_at = $1 where subscription_id = 'whsub_1'`, [since])
      await replayPages({ db: on, log: kit.log }, few)
    },
  },
  { name: 'retention', run: (on) => createDeliveryDeletion(on)(monthMs) },
  { name: 'orphans', run: (on) => deleteOrphans(on) },
  {
    name: 'subscribers',
    run: ({ run }) => findSubscribers(run, [{ tenant_id: tenantId, application_id: applicationId }]),
  },
  { name: 'report sent', run: ({ run }, some) => run(reportSent, [some]) },
  { name: 'hand-offs', run: ({ run }) => findHandOffs(run, [{ notification_id: newId('notif'), retry_count: 0 }]) },
]

test.each(statements)('however many deliveries there are, $name reads few of them', async ({ unnamed, run }) => {
  await db.run(`set plan_cache_mode = ${unnamed ? 'auto' : 'force_generic_plan'}`)
  const some = await someIds()
  const read = await countRowsRead(db, tables, (on) => run(on, some))
  expect(read).toBeLessThan(many / 50)
})

test('the deliveries of a replay are counted in the index', async () => {
  // A vacuum does not see the rows as settled while another test has a transaction from before them open.
  await eventually(async () => {
    await db.run('vacuum deliveries')
    let count = 0
    const read = await countRowsRead(db, tables, async ({ run }) => {
      count = await countExhausted(run, { subscriptionId: 'whsub_0', since: new Date(0).toISOString() })
    })
    expect(count).toBeGreaterThan(many / 50)
    expect(read).toBeLessThan(few)
  })
})

test('each batch of the retention reads its own entries alone, also while nothing can be vacuumed', async () => {
  const deleteOldDeliveries = createDeliveryDeletion(db)
  const deletion = { index: 'deliveries_finished', deleteBatch: () => deleteOldDeliveries(0), after: 5 }
  expect(await entriesOfBatch(db, env.sql('webhook-delivery'), deletion)).toBeLessThan(2500)
})

test("a page of an erasure reads as many rows when none of them is the person's", async () => {
  const person: Person = { tenantId: newId('ten'), recipient: '+15550000001', index: 'nobody', forgetStops: false }
  const read = await countRowsRead(db, tables, (on) => readDeliveries(on, person, ''))
  expect(read).toBeLessThan(many / 10)
})
