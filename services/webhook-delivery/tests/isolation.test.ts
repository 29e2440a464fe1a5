import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { leaseMs } from '../src/endpoints/leases.ts'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { storeDeliveries, storeSubscriptions } from './stored-deliveries.ts'

const inFlight = 32
const backlog = 100
/** Of sessions; a quarter more for endpoints that keep failing. */
const places = 64

let env: TestEnv
let receiver: CountingReceiver

beforeAll(async () => {
  env = await TestEnv.start(['webhook-delivery'], {
    env: {
      'webhook-delivery': {
        WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8',
        // Longer than the test: whatever hangs goes on hanging.
        WEBHOOK_TIMEOUT: '120s',
        WEBHOOK_IN_FLIGHT: String(inFlight),
        WEBHOOK_ENDPOINTS: String(places),
        LOG_LEVEL: 'warn',
      },
    },
  })
  receiver = await startCountingReceiver(env)
})
afterAll(async () => {
  receiver?.stop()
  await env?.stop()
})

test('receivers that hang and fail, with a backlog, delay no other of their tenant, and get one request at a time', async () => {
  const hangs = ['/hang/1', '/hang/2', '/hang/3']
  const bad = await storeSubscriptions(
    env,
    [...hangs, '/500/1', '/500/2'].map((path) => receiver.url + path),
  )
  await storeDeliveries(env, bad, backlog)
  await eventually(() => expect(openAt(...hangs)).toEqual([1, 1, 1]))
  const good = await storeSubscriptions(env, [`${receiver.url}/ok/1`, `${receiver.url}/ok/2`])
  await storeDeliveries(env, good, backlog)
  await eventually(async () => expect(await succeeded(good)).toBe(backlog), { intervalMs: 200 })
  expect(openAt(...hangs)).toEqual([1, 1, 1])
  expect(await attempts(bad.slice(0, 3))).toEqual({ begun: 3, ended: 0 })
})

test('a receiver that answers earns as many requests at once as an endpoint may have', async () => {
  const [busy] = await storeSubscriptions(env, [`${receiver.url}/ok/busy`])
  await storeDeliveries(env, [busy!], 1000)
  await eventually(async () => expect(await succeeded([busy!])).toBe(1000), { intervalMs: 200 })
  const most = receiver.most.get('/ok/busy')!
  expect(most).toBeGreaterThan(inFlight / 2)
  expect(most).toBeLessThanOrEqual(inFlight)
})

test('a tenant with more receivers that hang than there are slots leaves half of these to others', async () => {
  const [crowd, neighbour] = [newId('ten'), newId('ten')]
  const paths = Array.from({ length: 3 * places }, (_, at) => `/hang/crowd/${at}`)
  const crowded = await storeSubscriptions(
    env,
    paths.map((path) => receiver.url + path),
    crowd,
  )
  await storeDeliveries(env, crowded, 3 * paths.length, crowd)
  const hanging = () => openAt(...paths).reduce((sum, open) => sum + open, 0)
  // Endpoints of other tests hang, too: of what they leave free the crowd takes half.
  await eventually(() => expect(hanging()).toBeGreaterThan(places / 3))
  const [good] = await storeSubscriptions(env, [`${receiver.url}/ok/neighbour`], neighbour)
  await storeDeliveries(env, [good!], 1, neighbour)
  await eventually(async () => expect(await succeeded([good!])).toBe(1))
  expect(hanging()).toBeLessThanOrEqual(places / 2)
})

test('the lease of an endpoint is short, and is renewed while requests to it hang', async () => {
  const [hanging] = await storeSubscriptions(env, [`${receiver.url}/hang/leased`])
  await storeDeliveries(env, [hanging!], 1)
  const lease = async () => {
    const { rows } = await env
      .sql('webhook-delivery')
      .query(
        'select leased_until, (extract(epoch from leased_until - now()) * 1000)::float8 as left_ms from endpoints where id = $1',
        [hanging],
      )
    expect(rows).toEqual([{ leased_until: expect.any(Date), left_ms: expect.any(Number) }])
    return rows[0]
  }
  const first = await eventually(lease)
  expect(first.left_ms).toBeLessThanOrEqual(leaseMs)
  await eventually(async () => expect((await lease()).leased_until > first.leased_until).toBe(true))
  expect(openAt('/hang/leased')).toEqual([1])
})

const openAt = (...paths: string[]) => paths.map((path) => receiver.open.get(path) ?? 0)

async function succeeded(subscriptions: string[]): Promise<number> {
  const { rows } = await env
    .sql('webhook-delivery')
    .query(`select count(*)::int as count from deliveries where subscription_id = any($1) and status = 'succeeded'`, [
      subscriptions,
    ])
  return rows[0].count
}

async function attempts(subscriptions: string[]): Promise<{ begun: number; ended: number }> {
  const { rows } = await env.sql('webhook-delivery').query(
    `select count(*)::int as begun, count(a.finished_at)::int as ended
     from deliveries d join attempts a on a.delivery_id = d.id where d.subscription_id = any($1)`,
    [subscriptions],
  )
  return rows[0]
}
