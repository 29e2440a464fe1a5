import { expect, test } from '@jest/globals'
import { type Lane, type NotificationFact, newId, notificationChanged, subjectOf } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { openBus } from '@notify/test-kit/bus'
import { freshPath, received, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { env } from './stack.ts'

type Bus = Awaited<ReturnType<typeof openBus>>
type Fact = NotificationFact & { lane: Lane }

function fact(fields: Partial<Fact>): Fact {
  const now = Date.now()
  return {
    notification_id: newId('notif'),
    tenant_id: env.tenantId as `ten_${string}`,
    application_id: env.applicationId as `app_${string}`,
    mode: 'live',
    revision: 3,
    lane: 'transactional',
    channel: 'sms',
    event_key: null,
    status: 'delivered',
    recipient_masked: '+1***',
    recipient_index: 'index',
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits: 1,
    category: null,
    // Clearly later than the subscription.
    created_at: new Date(now + 10_000).toISOString(),
    occurred_at: new Date(now).toISOString(),
    ...fields,
  }
}

/** Publishes a fact, and waits until webhook-delivery has received it. */
async function publish(bus: Bus, event: Fact): Promise<void> {
  const { seq } = await bus.js.publish(subjectOf(notificationChanged, event), JSON.stringify([{ event }]), {
    msgID: newId('msg'),
  })
  await eventually(async () => {
    const durable = `webhook-delivery-${event.status}-${event.lane}`
    expect((await bus.jsm.consumers.info('DISPATCH', durable)).delivered.stream_seq).toBeGreaterThanOrEqual(seq)
  })
}

const statesAt = async (path: string) =>
  (await received(env, path)).map(({ body }) => {
    const { data } = JSON.parse(body)
    return `${data.status} ${data.failure_reason}`
  })

test('a subscriber gets the events of a notification in the order of its states, whatever the order in which the bus delivers them', async () => {
  await using bus = await openBus(env)
  const path = freshPath('ok')
  await subscribe(env, path)
  const { notification_id } = fact({})
  const same = { notification_id }
  const failed = (retry_count: number) =>
    fact({ ...same, retry_count, status: 'failed', failure_reason: `round ${retry_count}`, retryable: true })
  await publish(bus, fact({ ...same, retry_count: 1, after_failure: true }))
  await publish(bus, failed(1))
  await publish(bus, failed(0))
  await untilReceived(env, path, 3)
  expect(await statesAt(path)).toEqual(['failed round 0', 'failed round 1', 'delivered null'])
})

test('an event is sent even if its predecessor never comes', async () => {
  await using bus = await openBus(env)
  const path = freshPath('ok')
  await subscribe(env, path)
  const event = fact({ retry_count: 1 })
  await publish(bus, event)
  await eventually(async () => {
    const waited = `update fan_outs set created_at = created_at - interval '20 seconds', next_at = now() where id like $1 || '%'`
    expect((await env.sql('webhook-delivery').query(waited, [event.notification_id])).rowCount).toBe(1)
  })
  const sent = async () =>
    (await received(env, path)).filter(({ body }) => JSON.parse(body).data.notification_id === event.notification_id)
  await eventually(async () => expect(await sent()).toHaveLength(1))
})
