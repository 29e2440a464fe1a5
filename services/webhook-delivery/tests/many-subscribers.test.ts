import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId, notificationChanged, subjectOf } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { openBus } from '@notify/test-kit/bus'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { storeSubscriptions } from './stored-deliveries.ts'

const subscribers = 400
const events = ['notification.delivered']

let env: TestEnv
let receiver: CountingReceiver
beforeAll(async () => {
  env = await TestEnv.start(['dispatch', 'webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: { 'webhook-delivery': { WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8', WEBHOOK_TIMEOUT: '120s', LOG_LEVEL: 'warn' } },
  })
  receiver = await startCountingReceiver(env)
})
afterAll(async () => {
  receiver?.stop()
  await env?.stop()
})

/** Publishes facts of delivered messages of a tenant, as dispatch does. */
async function publish(tenant_id: string, count: number): Promise<void> {
  await using bus = await openBus(env)
  const now = new Date().toISOString()
  for (let at = 0; at < count; at++) {
    const event = {
      ...{ notification_id: newId('notif'), tenant_id, application_id: env.applicationId, mode: 'live', revision: 3 },
      ...{ lane: 'transactional', channel: 'sms', status: 'delivered', recipient_masked: '+1***' },
      ...{ recipient_index: 'index', retryable: false, retry_count: 0, credits: 1, created_at: now, occurred_at: now },
    } as const
    await bus.js.publish(subjectOf(notificationChanged, event as never), JSON.stringify([{ event }]), {
      msgID: newId('msg'),
    })
  }
}

const count = async (text: string, values: unknown[]) =>
  (await env.sql('webhook-delivery').query(`select count(*)::int as count from ${text}`, values)).rows[0].count
const storedFor = (tenant: string) => count('deliveries where tenant_id = $1', [tenant])
const waitingOf = (tenant: string) => count('fan_outs where tenant_id = $1', [tenant])

test('a burst of events with many subscribers, whose receivers hang, delays no event of another tenant', async () => {
  const [crowd, neighbour] = [newId('ten'), newId('ten')]
  const hanging = Array.from({ length: subscribers }, (_, at) => `${receiver.url}/hang/${at}`)
  await storeSubscriptions(env, hanging, crowd, events)
  await storeSubscriptions(env, [`${receiver.url}/ok/neighbour`], neighbour, events)
  await publish(crowd, 300)
  await publish(neighbour, 1)
  await eventually(() => expect(receiver.most.get('/ok/neighbour')).toBe(1), { intervalMs: 20 })
  expect(await waitingOf(crowd)).toBeGreaterThan(0)
  // 120,000 deliveries that hang would only take time.
  await env.sql('webhook-delivery').query('delete from fan_outs')
})

test('a process that is killed amid such a burst loses no delivery and stores none twice', async () => {
  const crowd = newId('ten')
  const hanging = Array.from({ length: subscribers }, (_, at) => `${receiver.url}/hang/killed/${at}`)
  await storeSubscriptions(env, hanging, crowd, events)
  // It is killed while they are published: it stores them about as fast.
  const publishing = publish(crowd, 40)
  await eventually(async () => expect(await storedFor(crowd)).toBeGreaterThan(0), { intervalMs: 20 })
  await env.kill('webhook-delivery')
  const stored = await storedFor(crowd)
  await publishing
  expect(stored).toBeLessThan(40 * subscribers)
  await env.restart('webhook-delivery')
  await eventually(
    async () => expect([await storedFor(crowd), await waitingOf(crowd)]).toEqual([40 * subscribers, 0]),
    {
      timeoutMs: 90_000,
    },
  )
})
