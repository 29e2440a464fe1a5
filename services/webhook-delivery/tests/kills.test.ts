import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../../packages/contracts/src/index.ts'
import { eventually, TestEnv } from '../../../packages/dev-env/src/index.ts'
import { parseKeyRing } from '../../../packages/privacy/src/index.ts'

const count = 10_000
const endpoints = 20
const timeoutMs = 120_000

let env: TestEnv
let receiver: Server
/** How many requests bore each message id. */
const requests = new Map<string, number>()

beforeAll(async () => {
  env = await TestEnv.start(['webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: { 'webhook-delivery': { WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8', WEBHOOK_TIMEOUT: '5s', LOG_LEVEL: 'warn' } },
  })
  const { cert, key } = env.stack.wiring.certificates.server
  receiver = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    const id = String(request.headers['x-svc-id'])
    requests.set(id, (requests.get(id) ?? 0) + 1)
    request.resume().on('end', () => setTimeout(() => response.end('ok'), 20))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
}, 60_000)
afterAll(async () => {
  await env?.stop()
  receiver?.closeAllConnections()
  receiver?.close()
})

test('whatever is killed on the way, every delivery arrives, every request has an attempt, and none is stuck', async () => {
  await storeDeliveries()
  const reached = (share: number) =>
    eventually(() => expect(requests.size).toBeGreaterThan(count * share), { timeoutMs: 90_000 })
  await reached(0.1)
  await env.kill('webhook-delivery')
  await env.restart('webhook-delivery')
  await reached(0.3)
  await env.kill('nats')
  await env.restart('nats')
  await reached(0.5)
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
    const arrived = requests.get(`msg_${id.slice('whdel_'.length)}`) ?? 0
    return arrived < 1 || arrived > attempts
  })
  expect(unrecorded).toEqual([])
}, 240_000)

async function statuses(): Promise<Record<string, number>> {
  const { rows } = await env
    .sql('webhook-delivery')
    .query<{ status: string; count: number }>('select status, count(*)::int as count from deliveries group by status')
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

/** Deliveries as facts would have left them. */
async function storeDeliveries(): Promise<void> {
  const { state } = env.stack
  const keyRing = parseKeyRing(state.encryption_keys.map(({ id, key }) => `${id}:${key}`).join(','))
  const sql = env.sql('webhook-delivery')
  const { port } = receiver.address() as AddressInfo
  const provider = newId('prov')
  const tenant = state.tenant_id
  await sql.query('insert into providers (id, tenant_id, own, secret) values ($1, $2, true, $3)', [
    provider,
    tenant,
    keyRing.encrypt(state.webhook_secret, `providers|${tenant}|${provider}`),
  ])
  const subscriptions = Array.from({ length: endpoints }, () => newId('whsub'))
  for (const id of subscriptions) {
    await sql.query(
      `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
       values ($1, $2, $3, $4, $5, '{}', '')`,
      [
        id,
        tenant,
        state.application_id,
        provider,
        keyRing.encrypt(`https://127.0.0.1:${port}/`, `subscriptions.url|${tenant}|${id}`),
      ],
    )
  }
  const rows = Array.from({ length: count }, (_, at) => {
    const id = newId('whdel')
    const body = keyRing.encrypt('{}', `deliveries|${tenant}|${id}`).toString('base64')
    return { id, subscription: subscriptions[at % endpoints], body }
  })
  await sql.query(
    `insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body, next_attempt_at)
     select id, $2, $3, subscription, subscription, 'notification.failed', decode(body, 'base64'), now()
     from json_to_recordset($1::json) as t (id text, subscription text, body text)`,
    [JSON.stringify(rows), tenant, state.application_id],
  )
  await sql.query(`insert into endpoints (id, tenant_id, next_due_at) select unnest($1::text[]), $2, now()`, [
    subscriptions,
    tenant,
  ])
}
