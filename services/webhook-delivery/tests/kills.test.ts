import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type FaultProxy, startFaultProxy, TestEnv } from '@notify/dev-env'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { storeDeliveries, storeSubscriptions } from './stored-deliveries.ts'

const count = 10_000
const endpoints = 20
const timeoutMs = 120_000

let env: TestEnv
let postgres: FaultProxy
let receiver: CountingReceiver

beforeAll(async () => {
  const variables: Record<string, string> = {
    WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8',
    WEBHOOK_TIMEOUT: '5s',
    // Requests that a freeze made late are failures; they come again soon.
    WEBHOOK_RETRY_DELAYS: '1s,1s,1s,1s,1s,1s,1s',
    LOG_LEVEL: 'warn',
  }
  let databaseUrl = ''
  postgres = await startFaultProxy(() => databaseUrl)
  env = await TestEnv.start(['webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: { 'webhook-delivery': variables },
    onStack(stack) {
      databaseUrl = stack.databaseUrl('webhook-delivery')
      variables.DATABASE_URL = postgres.via(databaseUrl)
    },
  })
  receiver = await startCountingReceiver(env)
})
afterAll(async () => {
  await env?.stop()
  await postgres?.stop()
  receiver?.stop()
})

test('whatever is killed or frozen on the way, every delivery arrives, every request has an attempt, and none is stuck', async () => {
  const subscriptions = await storeSubscriptions(env, Array(endpoints).fill(`${receiver.url}/ok`))
  await storeDeliveries(env, subscriptions, count)
  const reached = (share: number) =>
    eventually(() => expect(receiver.requests.size).toBeGreaterThan(count * share), { timeoutMs: 90_000 })
  await reached(0.1)
  await env.kill('webhook-delivery')
  await env.restart('webhook-delivery')
  await reached(0.25)
  await env.kill('nats')
  await env.restart('nats')
  await reached(0.4)
  await env.kill('webhook-delivery', 'SIGSTOP')
  const asFrozen = receiver.requests.size
  await eventually(() => expect([...receiver.open.values()].every((open) => open === 0)).toBe(true))
  await env.kill('webhook-delivery', 'SIGCONT')
  await eventually(() => expect(receiver.requests.size).toBeGreaterThan(asFrozen))
  await reached(0.55)
  postgres.hold()
  await eventually(() => expect([...receiver.open.values()].every((open) => open === 0)).toBe(true))
  await postgres.recover()
  await reached(0.7)
  await env.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'webhook_delivery'`,
  )
  await eventually(async () => expect(await statuses()).toEqual({ succeeded: count }), { timeoutMs, intervalMs: 500 })

  const { rows } = await env
    .sql('webhook-delivery')
    .query<{ id: string; attempts: number }>(
      `select d.id, count(a.number)::int as attempts from deliveries d join attempts a on a.delivery_id = d.id group by d.id`,
    )
  expect(rows).toHaveLength(count)
  const unrecorded = rows.filter(({ id, attempts }) => {
    const arrived = receiver.requests.get(`msg_${id.slice('whdel_'.length)}`) ?? 0
    return arrived < 1 || arrived > attempts
  })
  expect(unrecorded).toEqual([])
}, 900_000)

async function statuses(): Promise<Record<string, number>> {
  const { rows } = await env
    .sql('webhook-delivery')
    .query<{ status: string; count: number }>('select status, count(*)::int as count from deliveries group by status')
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}
