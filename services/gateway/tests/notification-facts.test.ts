import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DeliveryStatus, type Lane, type NotificationFact, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], {
    env: { gateway: { RECONCILE_INTERVAL: '500ms', RECONCILE_AFTER: '0s' } },
  })
})
afterAll(() => env?.stop())

function factOf(lane: Lane, status: DeliveryStatus): NotificationFact & { lane: Lane } {
  const now = new Date().toISOString()
  return {
    notification_id: newId('notif'),
    tenant_id: env.tenantId as `ten_${string}`,
    application_id: env.applicationId as `app_${string}`,
    mode: 'live',
    revision: 1,
    lane,
    channel: 'sms',
    event_key: null,
    status,
    recipient_masked: '+1***',
    recipient_index: 'index',
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits: 1,
    category: null,
    created_at: now,
    occurred_at: now,
  }
}

/** Leaves the message of a fact in dispatch's outbox, as dispatch commits it. */
async function leaveInOutbox(fact: NotificationFact & { lane: Lane }): Promise<void> {
  const message = [`dispatch.notification.${fact.lane}.sms.${fact.status}`, JSON.stringify([{ event: fact }])]
  await env.sql('dispatch').query('insert into outbox (subject, events) values ($1, $2)', message)
}

const shown = async (ids: readonly string[]) =>
  (await env.sql('gateway').query('select id from activity where id = any ($1)', [ids])).rows.map(({ id }) => id).sort()

test('the facts of every state reach the activity', async () => {
  const facts = DeliveryStatus.options.map((status) => factOf('transactional', status))
  for (const fact of facts) await leaveInOutbox(fact)
  const ids = facts.map(({ notification_id }) => notification_id).sort()
  await eventually(async () => expect(await shown(ids)).toEqual(ids))
})

test('the facts of both lanes reach the activity, those of codes do not: neither over the bus nor when compared', async () => {
  const lanes = ['otp', 'transactional', 'bulk'] as const
  const facts = lanes.map((lane) => factOf(lane, 'queued'))
  for (const fact of facts) await leaveInOutbox(fact)
  const [code, ...others] = facts.map(({ notification_id }) => notification_id)
  await eventually(async () => expect(await shown(others)).toEqual(others.toSorted()))
  // A later notification that only the comparison finds, after it has seen the code.
  const missed = newId('notif')
  for (const [id, lane] of [
    [code, 'otp'],
    [missed, 'bulk'],
  ]) {
    await env.sql('dispatch').query(
      `insert into notifications (id, tenant_id, application_id, channel, lane, mode, status, recipient_masked,
         recipient_index, payload, credits) values ($1, $2, $3, 'sms', $4, 'live', 'delivered', '+1***', 'index', '', 1)`,
      [id, env.tenantId, newId('app'), lane],
    )
  }
  await eventually(async () => expect(await shown([missed])).toEqual([missed]))
  expect(await shown([code!])).toEqual([])
})
