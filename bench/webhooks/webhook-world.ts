import type { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { newId } from '@notify/contracts'
import type { Stack } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import type pg from 'pg'

export interface Endpoint {
  id: string
  tenantId: string
  applicationId: string
}

export interface World {
  stack: Stack
  database: pg.Pool
  bus: NatsConnection
  receivers: ReturnType<typeof fork>
  url: string
}

const keyRingOf = ({ stack }: World) => parseKeyRing(stack.state.encryption_keys)

export const dataOf = () => ({ notification_id: newId('notif'), channel: 'sms', occurred_at: new Date().toISOString() })

export function connectTo(url: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(url)
  return connect({ servers: host, user: username, pass: decodeURIComponent(password) })
}

export async function subscribe(
  world: World,
  behaviour: string,
  count: number,
  tenantId: string = world.stack.state.tenant_id,
): Promise<Endpoint[]> {
  const keyRing = keyRingOf(world)
  const secret = world.stack.state.webhook_secret
  const provider = newId('prov')
  await world.database.query(`insert into webhook_delivery.providers (id, tenant_id, secret) values ($1, $2, $3)`, [
    provider,
    tenantId,
    keyRing.encrypt(secret, `providers|${tenantId}|${provider}`),
  ])
  const endpoints = Array.from({ length: count }, () => ({ id: newId('whsub'), tenantId, applicationId: newId('app') }))
  for (const [at, { id, applicationId }] of endpoints.entries()) {
    const url = keyRing.encrypt(`${world.url}/${behaviour}/${at}`, `subscriptions.url|${tenantId}|${id}`)
    await world.database.query(
      `insert into webhook_delivery.subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
       values ($1, $2, $3, $4, $5, '{notification.delivered}', '')`,
      [id, tenantId, applicationId, provider, url],
    )
    await world.database.query('insert into webhook_delivery.endpoints (id, tenant_id) values ($1, $2)', [id, tenantId])
  }
  return endpoints
}

export function publishFact({ bus }: World, { tenantId, applicationId }: Endpoint): void {
  const now = new Date().toISOString()
  const event = {
    notification_id: newId('notif'),
    tenant_id: tenantId,
    application_id: applicationId,
    mode: 'live',
    revision: 3,
    lane: 'transactional',
    channel: 'sms',
    event_key: 'order.shipped',
    status: 'delivered',
    recipient_masked: '+15*****0001',
    recipient_index: 'x',
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits: 1,
    category: null,
    created_at: now,
    occurred_at: now,
  }
  bus.publish('dispatch.notification.transactional.sms.delivered', JSON.stringify([{ event }]))
}

export async function ask({ receivers }: World, question: 'count' | 'take'): Promise<number[] | number> {
  receivers.send(question)
  return (await once(receivers, 'message'))[0]
}

export async function untilReceived(world: World, count: number): Promise<number[]> {
  const deadlineMs = performance.now() + 120_000
  while (((await ask(world, 'count')) as number) < count) {
    if (performance.now() > deadlineMs)
      throw new Error(`only ${await ask(world, 'count')} of ${count} webhooks arrived`)
    await delay(20)
  }
  return (await ask(world, 'take')) as number[]
}

export const wake = ({ database }: World, endpoints: Endpoint[]) =>
  database.query('update webhook_delivery.endpoints set next_due_at = now() where id = any($1)', [
    endpoints.map(({ id }) => id),
  ])

export async function store(world: World, endpoints: Endpoint[], count: number): Promise<void> {
  const keyRing = keyRingOf(world)
  const batch = 5000
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, (_, at) => {
      const { id: endpoint, tenantId, applicationId } = endpoints[(from + at) % endpoints.length]!
      const id = newId('whdel')
      const body = JSON.stringify({ id, type: 'notification.delivered', data: dataOf() })
      const sealed = keyRing.encrypt(body, `deliveries|${tenantId}|${id}`).toString('base64')
      return { id, endpoint, tenantId, applicationId, body: sealed }
    })
    await world.database.query(
      `insert into webhook_delivery.deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body,
         next_attempt_at)
       select id, "tenantId", "applicationId", endpoint, endpoint, 'notification.delivered', decode(body, 'base64'), now()
       from json_to_recordset($1::json) as t (id text, "tenantId" text, "applicationId" text, endpoint text, body text)`,
      [JSON.stringify(rows)],
    )
  }
}

export async function untilDrained({ database }: World, endpoints: Endpoint[]): Promise<void> {
  const ids = endpoints.map(({ id }) => id)
  const due = `select from webhook_delivery.endpoints where id = any($1) and next_due_at is not null`
  while ((await database.query(due, [ids])).rowCount! > 0) await delay(500)
}
