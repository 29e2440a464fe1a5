import { expect, test } from '@jest/globals'
import { type Id, newId } from '@notify/contracts'
import type { Queries, Run, Statement } from '@notify/database'
import { eventually, type TestEnv } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { useOwnSchema } from '@notify/test-kit/database'
import { newWebhookSecret } from '@notify/webhook-signature'
import { migrations } from '../src/db/migrations.ts'
import { createDeliveryDeletion, deleteOrphans } from '../src/deliveries/delete-old.ts'
import { listAttemptRows, listSendAttemptRows } from '../src/deliveries/delivery-store.ts'
import { insertDeliveries, insertOffered, type NewDelivery, type Offered } from '../src/deliveries/insert-deliveries.ts'
import { settleDeliveries } from '../src/deliveries/settle-deliveries.ts'
import { takeDeliveries } from '../src/deliveries/take-deliveries.ts'
import { claimEndpoints } from '../src/endpoints/claim-endpoints.ts'
import { mendEndpoints } from '../src/endpoints/mend-endpoints.ts'
import { releaseEndpoints } from '../src/endpoints/release-endpoints.ts'
import { removeEndpoint } from '../src/endpoints/remove-endpoint.ts'
import { renewEndpoints } from '../src/endpoints/renew-endpoints.ts'
import { giveUpReserved } from '../src/providers/give-up-reserved.ts'
import { deleteOwnProvider, type ProviderCopy, saveProviderRow } from '../src/providers/provider-store.ts'
import { readCopy } from '../src/providers/read-copy.ts'
import { reserveProvider, takeReserved } from '../src/providers/reservation-store.ts'

const dayMs = 86_400_000
const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)

let env: TestEnv
let db: Queries
useOwnSchema('webhook-delivery', { migrations }, (own) => {
  ;({ env, db } = own)
})

/** Of a process that delivers to nobody yet. */
const rooms = { known: {}, other: 8 }

const failed = {
  outcome: 'failed',
  charged: true,
  status: 500,
  error: 'the receiver answered 500',
  nextInMs: 5000,
  gone: false,
  retryable: true,
} as const

const sendTo = (endpoint: string): NewDelivery => ({
  id: newId('whdel'),
  tenant_id: 'ten_1',
  application_id: 'app_1',
  endpoint_id: endpoint,
  subscription_id: null,
  notification_id: newId('notif'),
  retry_count: 0,
  event_type: 'order.shipped',
  provider_id: null,
  url: Buffer.alloc(1),
  body: Buffer.alloc(1),
  traceparent: null,
  recipient_index: null,
})

async function storeSend(endpoint: string, run: Run = db.run): Promise<Id<'whdel'>> {
  const delivery = sendTo(endpoint)
  await insertDeliveries(run, [delivery])
  return delivery.id
}

const exhaust = (id: string) =>
  db.run(
    `update deliveries set status = 'exhausted', next_attempt_at = null, finished_at = now() - interval '2 days' where id = $1`,
    [id],
  )
const endpointOf = async (id: string) => (await db.run('select next_due_at from endpoints where id = $1', [id]))[0]

test('retention removes old deliveries with their attempts and idle origins, and keeps what waits', async () => {
  const old = await storeSend('origin_idle')
  await takeDeliveries(db.run, [{ endpoint_id: 'origin_idle', room: 1 }], 1000)
  await exhaust(old)
  await db.run(`update endpoints set next_due_at = null where id = 'origin_idle'`)
  await exhaust(await storeSend('origin_busy'))
  const waiting = await storeSend('origin_busy')
  expect(await createDeliveryDeletion(db)(dayMs)).toBe(false)
  expect(await db.run('select id from deliveries')).toEqual([{ id: waiting }])
  expect(await db.run('select * from attempts')).toEqual([])
  expect([await endpointOf('origin_idle'), await endpointOf('origin_busy')]).toEqual([
    undefined,
    { next_due_at: expect.any(Date) },
  ])
})

test('retention removes what has waited as long for a disabled subscription, and nothing that is late at an active one', async () => {
  const store = async (endpoint: string, dueBefore: string) => {
    const id = await storeSend(endpoint)
    await db.run('update deliveries set next_attempt_at = now() - $2::interval where id = $1', [id, dueBefore])
    return id
  }
  const kept = [await store('whsub_active', '2 days'), await store('whsub_disabled', '1 hour')]
  await store('whsub_disabled', '2 days')
  await db.run(`update endpoints set active = false where id = 'whsub_disabled'`)
  expect(await createDeliveryDeletion(db)(dayMs)).toBe(false)
  const left = await db.run<{ id: string }>(`select id from deliveries where endpoint_id like 'whsub\\_%'`)
  expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
})

test('a delivery that is being replayed is not removed by the retention', async () => {
  const id = await storeSend('origin_again')
  await exhaust(id)
  const replay = await env.sql('webhook-delivery').connect()
  await replay.query('begin')
  const again = `update deliveries set status = 'pending', next_attempt_at = now(), finished_at = null where id = $1`
  await replay.query(again, [id])
  try {
    expect(await createDeliveryDeletion(db)(dayMs)).toBe(false)
  } finally {
    await replay.query('commit')
    replay.release()
  }
  expect(await db.run('select status from deliveries where id = $1', [id])).toEqual([{ status: 'pending' }])
})

async function removeAll(): Promise<void> {
  while (await deleteOrphans(db));
}
/** What is left of a subscription. */
const leftOf = (subscription: string) =>
  db.run(
    `select 'delivery' as what from deliveries where subscription_id = $1
     union all select 'endpoint' from endpoints where id = $1`,
    [subscription],
  )

test('a delivery that is stored while the last ones of its deleted subscription are removed is removed, too', async () => {
  const subscription = newId('whsub')
  const delivery = () => ({ ...sendTo(subscription), subscription_id: subscription, url: null })
  await insertDeliveries(db.run, [delivery()])
  await removeEndpoint(db.run, subscription)
  await removeAll()
  await insertOffered(db.run, [{ ...delivery(), offered: 'wait' }], { deliveryMs: 0, endpointMs: 0 })
  await removeAll()
  expect(await leftOf(subscription)).toEqual([{ what: 'endpoint' }])
  await db.run(`update endpoints set deleted_at = now() - interval '1 minute' where id = $1`, [subscription])
  await removeAll()
  expect(await leftOf(subscription)).toEqual([])
})

test('two processes that remove the deliveries of a deleted subscription at the same time leave none', async () => {
  const subscription = newId('whsub')
  await db.run(
    `insert into endpoints (id, tenant_id, active, deleted_at) values ($1, 'ten_1', false, now() - interval '2 minutes')`,
    [subscription],
  )
  await db.run(
    `insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body)
     select 'whdel_' || gen_random_uuid(), 'ten_1', 'app_1', $1, $1, 'order.shipped', '' from generate_series(1, 5000)`,
    [subscription],
  )
  await Promise.all([removeAll(), removeAll()])
  expect(await leftOf(subscription)).toEqual([])
})

test('an endpoint that does not know of its due deliveries is repaired', async () => {
  const id = await storeSend('origin_late')
  await db.run(`update endpoints set next_due_at = null where id = 'origin_late'`)
  await db.run(`update deliveries set next_attempt_at = now() - interval '1 minute' where id = $1`, [id])
  expect(await mendEndpoints(db.run, '')).toBeUndefined()
  expect(await endpointOf('origin_late')).toEqual({ next_due_at: expect.any(Date) })
})

test('of a delivery that was replayed often, the newest attempts are shown, in their order', async () => {
  const delivery = sendTo('origin_replayed')
  await insertDeliveries(db.run, [delivery])
  await db.run(
    `insert into attempts (delivery_id, number, started_at)
     select $1, n, now() + n * interval '1 second' from generate_series(1, 150) as n`,
    [delivery.id],
  )
  const newest = Array.from({ length: 100 }, (_, at) => at + 51)
  const shown = [
    await listAttemptRows(db.run, delivery.id),
    await listSendAttemptRows(db.run, delivery.tenant_id, delivery.notification_id!),
  ]
  expect(shown.map((attempts) => attempts.map(({ number }) => number))).toEqual([newest, newest])
})

test('an attempt is settled once, however often its end is written', async () => {
  const id = await storeSend('origin_settled')
  await takeDeliveries(db.run, [{ endpoint_id: 'origin_settled', room: 1 }], 1000)
  const settlement = { deliveryId: id, number: 1, verdict: failed, durationMs: 5, response: null }
  await settleDeliveries(db.run, [settlement])
  await settleDeliveries(db.run, [settlement])
  expect(await db.run('select status, attempts, charged from deliveries where id = $1', [id])).toEqual([
    { status: 'pending', attempts: 1, charged: 1 },
  ])
  const told = `select 1 from outbox where subject = 'webhooks.delivery.failed'`
  expect(await db.run(told)).toHaveLength(1)
})

test.each([
  ['a test event of a subscription says nothing', newId('whsub'), false],
  ['a send with the key of a test event counts', null, true],
])('of five failures in a row, %s about the health of the endpoint', async (_what, subscription_id, struggling) => {
  const endpoint = subscription_id ?? 'origin_tested'
  const fields = { subscription_id, event_type: 'webhook.test' }
  const deliveries = Array.from({ length: 5 }, () => ({ ...sendTo(endpoint), ...fields }))
  await insertDeliveries(db.run, deliveries)
  await takeDeliveries(db.run, [{ endpoint_id: endpoint, room: 5 }], 60_000)
  await settleDeliveries(
    db.run,
    deliveries.map(({ id }) => ({ deliveryId: id, number: 1, verdict: failed, durationMs: 5, response: null })),
  )
  expect(await db.run('select struggling from endpoints where id = $1', [endpoint])).toEqual([{ struggling }])
})

test('a lease is renewed and released by its holder alone', async () => {
  await storeSend('origin_leased')
  const claim = { limit: 1000, leaseMs: 60_000, struggling: false, rooms }
  const of = (endpoints: { id: string; lease: string }[]) => endpoints.filter(({ id }) => id === 'origin_leased')
  const [held] = of(await claimEndpoints(db.run, claim))
  // An earlier session of the same process, whose lease has lapsed.
  const lapsed = { ...held!, lease: new Date(0).toISOString() }
  const answers = await renewEndpoints(db.run, [lapsed, held!], 60_000)
  expect(answers).toEqual([{ at: 1, lease: expect.any(String) }])
  const renewed = { ...held!, lease: answers[0]!.lease }
  expect(Date.parse(renewed.lease)).toBeGreaterThanOrEqual(Date.parse(held!.lease))
  expect(await renewEndpoints(db.run, [held!], 60_000)).toEqual([])
  await releaseEndpoints(db.run, [held!])
  expect(of(await claimEndpoints(db.run, claim))).toEqual([])
  await releaseEndpoints(db.run, [renewed])
  expect(of(await claimEndpoints(db.run, claim))).toHaveLength(1)
})

test('an endpoint whose backlog was just served goes behind the others of its tenant that wait', async () => {
  const tenant_id = newId('ten')
  const store = async (endpoint: string, dueBefore: string) => {
    const delivery = { ...sendTo(endpoint), tenant_id }
    await insertDeliveries(db.run, [delivery])
    await db.run('update deliveries set next_attempt_at = now() - $2::interval where id = $1', [delivery.id, dueBefore])
  }
  await store('origin_backlog', '2 hours')
  await store('origin_backlog', '1 hour')
  await store('origin_recovered', '1 minute')
  await db.run(
    `update endpoints set next_due_at = (select min(next_attempt_at) from deliveries where endpoint_id = endpoints.id)
     where tenant_id = $1`,
    [tenant_id],
  )
  const alone = { known: { [tenant_id]: 1 }, other: 0 }
  const claimNext = () => claimEndpoints(db.run, { limit: 1, leaseMs: 60_000, struggling: false, rooms: alone })
  const served = await claimNext()
  expect(served).toMatchObject([{ id: 'origin_backlog' }])
  expect(await takeDeliveries(db.run, [{ endpoint_id: 'origin_backlog', room: 1 }], 60_000)).toHaveLength(1)
  await releaseEndpoints(db.run, served)
  expect(await claimNext()).toMatchObject([{ id: 'origin_recovered' }])
  expect(await claimNext()).toMatchObject([{ id: 'origin_backlog' }])
})

const leases = { deliveryMs: 60_000, endpointMs: 60_000 }
/** Stores sends to an endpoint, each with what is offered to it. */
async function offer(endpoint: string, ...offered: Offered[]) {
  const rows = await insertOffered(
    db.run,
    offered.map((one) => ({ ...sendTo(endpoint), offered: one })),
    leases,
  )
  const claim = rows.find(({ id }) => id === null)
  return {
    open: rows.filter(({ is_open }) => is_open).length,
    isClaimed: claim?.lease != null,
    isAlone: claim?.is_alone,
  }
}
const dueOf = async (id: string) =>
  (
    await db.run(
      'select next_due_at <= now() as is_due, leased_until > now() as is_leased from endpoints where id = $1',
      [id],
    )
  )[0]
const begun = `select d.endpoint_id from attempts a join deliveries d on d.id = a.delivery_id`

test('a free endpoint is claimed with the delivery that is stored for it, whose attempt begins; others wait for its session', async () => {
  expect(await offer('origin_new', 'claim', null)).toEqual({ open: 1, isClaimed: true, isAlone: true })
  expect(await dueOf('origin_new')).toEqual({ is_due: false, is_leased: true })
  expect(await offer('origin_new', 'open', 'wait')).toEqual({ open: 1, isClaimed: false, isAlone: undefined })
  expect(await db.run(`${begun} where d.endpoint_id = 'origin_new'`)).toHaveLength(2)
})

test('an endpoint that another worker has, that waits, fails or has ended is not claimed, and no attempt begins', async () => {
  await offer('origin_other', 'claim')
  expect(await offer('origin_other', 'claim')).toMatchObject({ open: 0, isClaimed: false })
  expect(await dueOf('origin_other')).toEqual({ is_due: true, is_leased: true })
  await storeSend('origin_waits')
  expect(await offer('origin_waits', 'claim')).toMatchObject({ open: 0, isClaimed: false })
  for (const [id, state] of [
    ['origin_fails', 'struggling = true'],
    ['origin_ended', 'active = false'],
  ] as const) {
    await db.run(`insert into endpoints (id, tenant_id) values ($1, 'ten_1')`, [id])
    await db.run(`update endpoints set ${state} where id = $1`, [id])
    expect(await offer(id, 'claim')).toMatchObject({ open: 0, isClaimed: false })
  }
  expect(await offer('origin_ended', 'open')).toMatchObject({ open: 0 })
})

test('a claim returns whether an endpoint has retries to come, and a repeated delivery opens nothing', async () => {
  const id = await storeSend('origin_retries')
  await db.run(`update deliveries set next_attempt_at = now() + interval '1 minute' where id = $1`, [id])
  await db.run(`update endpoints set next_due_at = now() + interval '1 minute' where id = 'origin_retries'`)
  expect(await offer('origin_retries', 'claim')).toEqual({ open: 1, isClaimed: true, isAlone: false })
  const once = { ...sendTo('origin_once'), offered: 'claim' as const }
  await insertOffered(db.run, [once], leases)
  expect(await insertOffered(db.run, [{ ...once, id: newId('whdel'), offered: 'open' }], leases)).toEqual([])
})

test('a delivery stored while a release waits for the endpoint makes it due', async () => {
  await exhaust(await storeSend('origin_raced'))
  const claimed = await claimEndpoints(db.run, { limit: 1000, leaseMs: 60_000, struggling: false, rooms })
  const held = claimed.filter(({ id }) => id === 'origin_raced')
  const [releaser, other] = await Promise.all([1, 2].map(() => env.sql('webhook-delivery').connect()))
  const runOn = (client: typeof other) =>
    (async (statement: Statement | string, values: unknown[]) =>
      (await client!.query(typeof statement === 'string' ? statement : statement.text, values)).rows) as Run
  // On a busy machine the release waits longer than a service would.
  await releaser!.query(`set lock_timeout = '1min'; set statement_timeout = '1min'`)
  await other!.query(`begin; select from endpoints where id = 'origin_raced' for update`)
  const releasing = releaseEndpoints(runOn(releaser), held)
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%release_endpoints($1)%' and datname = current_database()`
    expect(await db.run(waiting)).toHaveLength(1)
  })
  await storeSend('origin_raced', runOn(other))
  await other!.query('commit')
  other!.release()
  await releasing
  releaser!.release(true)
  expect(await endpointOf('origin_raced')).toEqual({ next_due_at: expect.any(Date) })
})

/** A provider that dispatch shows with this revision. */
const copyOf = (id: Id<'prov'>, revision: number, fields: Partial<ProviderCopy> = {}): ProviderCopy => ({
  ...{ id, tenant_id: newId('ten'), application_id: null, own: false, priority: 1, revision, retry_delays: null },
  ...{ secret: Buffer.from(`secret ${revision}`), former: [], isDeleted: false, ...fields },
})
const secretsOf = (id: string) =>
  db.run('select secret::text as secret, previous_secret::text as previous from providers where id = $1', [id])
const hex = (text: string) => `\\x${Buffer.from(text).toString('hex')}`

test('a copy of a provider is that of the newest revision, whatever comes late or twice', async () => {
  const id = newId('prov')
  const former = [{ secret: Buffer.from('secret 1'), until: new Date().toISOString() }]
  for (const revision of [1, 3, 2, 3])
    await saveProviderRow(db.run, copyOf(id, revision, revision === 1 ? {} : { former }))
  expect(await secretsOf(id)).toEqual([{ secret: hex('secret 3'), previous: hex('secret 1') }])
})

test('a copy has the retry delays of its provider, also those that are no whole seconds', async () => {
  const id = newId('prov')
  const credentials = { secret: newWebhookSecret(), retry_delays: '16.1s,4.1m' }
  await saveProviderRow(db.run, readCopy(keyRing, { ...copyOf(id, 1), credentials }))
  expect(await db.run('select retry_delays from providers where id = $1', [id])).toEqual([
    { retry_delays: [16_100, 246_000] },
  ])
})

test('a copy of a subscription’s own provider ends with it: a change that comes later brings no secret back', async () => {
  const id = newId('prov')
  await saveProviderRow(db.run, copyOf(id, 1, { own: true }))
  expect(await secretsOf(id)).toEqual([])
  await reserveProvider(db.run, {
    id,
    tenant_id: newId('ten'),
    application_id: newId('app'),
    subscription_id: 'whsub_1',
  })
  await saveProviderRow(db.run, copyOf(id, 2, { own: true }))
  expect(await secretsOf(id)).toEqual([{ secret: hex('secret 2'), previous: null }])
  expect([await deleteOwnProvider(db.run, id), await deleteOwnProvider(db.run, id)]).toEqual([true, false])
  await saveProviderRow(db.run, copyOf(id, 3, { own: true }))
  expect(await secretsOf(id)).toEqual([])
})

test('a provider whose subscription does not follow within a minute is abandoned, which is published to dispatch once', async () => {
  const reservations = Array.from({ length: 3 }, () => ({
    ...{ id: newId('prov'), tenant_id: newId('ten'), application_id: newId('app'), subscription_id: newId('whsub') },
  }))
  const [taken, fresh, late] = reservations
  for (const one of reservations) await reserveProvider(db.run, one)
  expect(await takeReserved(db.run, taken!.id)).toBe(true)
  await db.run(`update providers set updated_at = now() - interval '61 seconds' where id <> $1`, [fresh!.id])
  const wakes: string[] = []
  const give = () => giveUpReserved({ db, wakeOutbox: () => void wakes.push('outbox') })
  expect([await give(), await give(), wakes]).toEqual([false, false, ['outbox']])
  const events = await db.run<{ event: object }>(
    `select events::json -> 0 -> 'event' as event from outbox where subject = 'webhooks.subscription.changed'`,
  )
  const { id: provider_id, ...owner } = late!
  expect(events.map(({ event }) => event)).toEqual([
    expect.objectContaining({ ...owner, provider_id, status: 'deleted' }),
  ])
  expect([await takeReserved(db.run, late!.id), await takeReserved(db.run, fresh!.id)]).toEqual([false, true])
})
