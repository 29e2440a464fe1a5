import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { post, untilAvailable } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'
import { send } from '@notify/test-kit/sms'
import { deliveriesOf, freshPath, subscribe, untilDelivery } from '@notify/test-kit/webhooks'
import { storeDeliveries } from '../stored-deliveries.ts'
import { env, operator } from './stack.ts'

/** The defaults of the configuration. */
const [mostOfApplication, mostOfTenant] = [500, 2000]

test('deleting an application deletes its subscriptions, which the audit log records', async () => {
  const { body: application } = await operator('POST', '/api/v1/applications', { name: 'Short-lived' })
  const { application_id } = application
  const url = env.stack.receiverUrl + freshPath('ok')
  const request = { application_id, url, events: ['notification.delivered'] }
  const { body: subscription } = await operator('POST', '/api/v1/webhook-subscriptions', request)
  const { subscription_id } = subscription
  const other = await subscribe(env, freshPath('ok'))
  await operator('DELETE', `/api/v1/applications/${application_id}`)
  await eventually(async () => {
    expect((await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)).status).toBe(404)
  })
  expect((await operator('GET', `/api/v1/webhook-subscriptions/${other.subscription_id}`)).status).toBe(200)
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/audit-log?resource_id=${subscription_id}`)
    expect(body.items[0]).toMatchObject({
      action: 'webhook_subscription.deleted',
      actor: { kind: 'service', id: 'webhook-delivery' },
      after: null,
    })
  })
})

test('deliveries of a deleted subscription are cancelled at once, also those stored meanwhile, without a log line', async () => {
  const { subscription_id } = await subscribe(env, freshPath('hang'))
  await storeDeliveries(env, [subscription_id], 50)
  await untilDelivery(env, subscription_id, {})
  const [{ delivery_id }] = await deliveriesOf(env, subscription_id)
  expect((await operator('DELETE', `/api/v1/webhook-subscriptions/${subscription_id}`)).status).toBe(204)
  const left = async () => {
    const { rows } = await env
      .sql('webhook-delivery')
      .query('select from deliveries where subscription_id = $1', [subscription_id])
    return rows.length
  }
  await eventually(async () => expect(await left()).toBe(0))
  expect((await operator('GET', `/api/v1/webhook-deliveries/${delivery_id}`)).status).toBe(404)
  // A fact whose subscribers were read before the deletion is stored long after it, when the endpoint is gone as well.
  const { tenant_id } = env.stack.state
  await env.sql('webhook-delivery').query(
    `insert into endpoints (id, tenant_id) values ($1, $2)
       on conflict (id) do update set active = true, deleted_at = null`,
    [subscription_id, tenant_id],
  )
  await storeDeliveries(env, [subscription_id], 1)
  await eventually(async () => expect(await left()).toBe(0))
  const loud = env
    .logs('webhook-delivery', 10_000)
    .split('\n')
    .filter((line) => line.includes(subscription_id) || line.includes('cannot be prepared'))
    .filter((line) => JSON.parse(line).level > 30)
  expect(loud).toEqual([])
})

test('a subscription whose address cannot be decrypted any more is listed, and can be changed and deleted', async () => {
  const { subscription_id } = await subscribe(env, freshPath('ok'), { events: ['preference.changed'] })
  const path = `/api/v1/webhook-subscriptions/${subscription_id}`
  const url = 'https://unreadable.invalid/'
  const lose = () =>
    env.sql('webhook-delivery').query(`update subscriptions set url = '\\x00' where id = $1`, [subscription_id])
  await lose()
  expect(await operator('GET', path)).toMatchObject({ status: 200, body: { url } })
  const { body } = await operator('GET', '/api/v1/webhook-subscriptions')
  expect(body.items).toContainEqual(expect.objectContaining({ subscription_id, url }))
  const other = env.stack.receiverUrl + freshPath('ok')
  expect(await operator('PATCH', path, { url: other })).toMatchObject({ status: 200, body: { url: other } })
  await lose()
  expect((await operator('DELETE', path)).status).toBe(204)
})

test('an application and a tenant have at most so many subscriptions as is configured, which the refusal names', async () => {
  const { application_id } = (await operator('POST', '/api/v1/applications', { name: 'Crowded' })).body
  const add = () => {
    const url = env.stack.receiverUrl + freshPath('ok')
    return operator('POST', '/api/v1/webhook-subscriptions', { application_id, url, events: ['notification.failed'] })
  }
  const fill = (count: number, application: string) =>
    env.sql('webhook-delivery').query(
      `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
       select 'whsub_crowd_' || gen_random_uuid(), $2, $3, '', '', '{}', '' from generate_series(1, $1::int)`,
      [count, env.stack.state.tenant_id, application],
    )
  try {
    await fill(mostOfApplication - 1, application_id)
    const answers = await Promise.all([add(), add()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: 'subscription_limit_reached',
      detail: `There may be at most ${mostOfApplication} webhook subscriptions of an application`,
    })
    await fill(mostOfTenant, newId('app'))
    expect((await add()).body).toMatchObject({
      code: 'subscription_limit_reached',
      detail: `There may be at most ${mostOfTenant} webhook subscriptions of a tenant`,
    })
  } finally {
    await env.sql('webhook-delivery').query(`delete from subscriptions where id like 'whsub_crowd_%'`)
  }
})

test('410 disables the subscription, which the audit log shows as done by the service', async () => {
  const { subscription_id } = await subscribe(env, freshPath('410'))
  await send(env)
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)
    expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  })
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/audit-log?resource_id=${subscription_id}`)
    expect(body.items[0]).toMatchObject({
      actor: { kind: 'service', id: 'webhook-delivery' },
      action: 'webhook_subscription.disabled',
      application_id: env.applicationId,
      before: { status: 'active', disabled_reason: null },
      after: { status: 'disabled', disabled_reason: 'gone' },
      request_id: null,
    })
  })
})

test.each([
  'http://example.com/',
  'https://localhost/',
  'https://127.0.0.1/',
  'https://169.254.169.254/',
  'https://example.com:22/',
  'https://example.com:65536/',
  'https://user@example.com/',
  'https://intranet/',
  'https://[::1]/',
  'https://2130706433/',
  `https://example.com/${'a'.repeat(2030)}`,
])('%s can neither be subscribed nor sent to', async (url) => {
  const subscription = await operator('POST', '/api/v1/webhook-subscriptions', {
    application_id: env.applicationId,
    url,
    events: ['notification.failed'],
  })
  expect([subscription.status, subscription.body.code]).toEqual([422, 'destination_not_allowed'])
  const sent = await post(env, {
    channel: 'webhook',
    event_key: 'order.shipped',
    recipient: { url },
    data: { name: 'A', order: 'B' },
  })
  expect([sent.status, sent.body.code]).toEqual([422, 'invalid_recipient'])
})

test.each([
  ['a private address', 'rebind.example.com'],
  ['a public address and a private one', 'mixed.example.com'],
  ['an alias of a name with a private address', 'alias.example.com'],
  ['loopback in IPv6', 'six.example.com'],
])(
  'a name that resolves to %s is refused permanently at delivery, and the error does not reveal it',
  async (_what, name) => {
    await env.setDns([
      { type: 'A', name: 'rebind.example.com', value: '10.0.0.7' },
      { type: 'A', name: 'mixed.example.com', value: '8.8.8.8' },
      { type: 'A', name: 'mixed.example.com', value: '10.0.0.7' },
      { type: 'CNAME', name: 'alias.example.com', value: 'chain.example.com' },
      { type: 'CNAME', name: 'chain.example.com', value: 'rebind.example.com' },
      { type: 'AAAA', name: 'six.example.com', value: '::1' },
    ])
    const { subscription_id } = await subscribe(env, '', { url: `https://${name}/hook` })
    await send(env)
    const delivery = await untilDelivery(env, subscription_id, { status: 'exhausted', attempts_made: 1 })
    expect(delivery.attempts[0].error).toBe('destination not allowed')
    expect(JSON.stringify(delivery)).not.toMatch(/10\.0\.0\.7|::1/)
  },
)

test.each(['SERVFAIL', 'REFUSED'])(
  '%s of one name counts against its subscription, and is not retried without end',
  async (value) => {
    const name = `${value.toLowerCase()}.example.com`
    await env.setDns([{ type: 'FAULT', name, value }])
    const { subscription_id } = await subscribe(env, '', { url: `https://${name}/hook` })
    await send(env)
    const delivery = await untilDelivery(env, subscription_id, { status: 'exhausted', attempts_made: 3 })
    expect(delivery.attempts[0].error).toBe('the name servers of the host do not answer')
  },
)

test('an operator subscribes for applications of his tenant alone', async () => {
  const tenantId = newId('ten')
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  const other = await addApplication(env, tenantId)
  for (const application_id of [other.applicationId, newId('app')]) {
    const body = { application_id, url: 'https://example.com/', events: ['notification.failed'] }
    const { status, body: answer } = await operator('POST', '/api/v1/webhook-subscriptions', body)
    expect([status, answer.code, answer.errors?.[0]?.path]).toEqual([422, 'validation_failed', 'application_id'])
  }
})

test('changes of one moment do not undo one another; one that is based on an older state is refused', async () => {
  const { subscription_id, updated_at } = await subscribe(env, freshPath('ok'))
  const base = `/api/v1/webhook-subscriptions/${subscription_id}`
  const changes = [
    { description: 'Ledger' },
    { events: ['notification.failed'] },
    { url: `${env.stack.receiverUrl}/ok/moved` },
  ]
  await Promise.all(changes.map((change) => operator('PATCH', base, change)))
  const { body: present } = await operator('GET', base)
  expect(present).toMatchObject(Object.assign({}, ...changes))
  const based = (on: string) => operator('PATCH', `${base}?expected_updated_at=${on}`, { description: 'Mine' })
  const refused = await based(updated_at)
  expect([refused.status, refused.body.code]).toEqual([409, 'edit_conflict'])
  expect((await based(present.updated_at)).body).toMatchObject({ description: 'Mine' })
})

test('of two deletions of a subscription at the same moment one finds it, which is recorded once', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => subscribe(env, freshPath('ok'))))
  const ids = made.map(({ subscription_id }) => subscription_id as string)
  const remove = (id: string) => untilAvailable(() => operator('DELETE', `/api/v1/webhook-subscriptions/${id}`))
  const answers = await Promise.all(ids.map((id) => Promise.all([remove(id), remove(id)])))
  const statuses = answers.map((pair) => pair.map(({ status }) => status).toSorted())
  expect(statuses).toEqual(ids.map(() => [204, 404]))
  const { rows } = await env.sql('webhook-delivery').query(
    `select e -> 'event' -> 'resource' ->> 'id' as id from outbox, json_array_elements(events::json) as e
     where e -> 'event' ->> 'action' = 'webhook_subscription.deleted' and e -> 'event' -> 'resource' ->> 'id' = any($1)`,
    [ids],
  )
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
})

test('an application’s key sees its own subscriptions alone, and a disabled one gets nothing', async () => {
  const path = freshPath('ok')
  const made = await env.api('POST', '/api/v1/webhook-subscriptions', {
    body: { url: env.stack.receiverUrl + path, events: ['notification.delivered'] },
  })
  expect([made.status, made.body.application_id]).toEqual([201, env.applicationId])
  const base = `/api/v1/webhook-subscriptions/${made.body.subscription_id}`
  expect((await env.api('GET', base, { key: env.apiKeySendOnly })).status).toBe(403)
  const disabled = await env.api('PATCH', base, { body: { status: 'disabled' } })
  expect(disabled.body).toMatchObject({ status: 'disabled', disabled_reason: 'operator' })
  expect((await env.api('POST', `${base}/test`)).body.code).toBe('subscription_disabled')
  expect((await env.api('DELETE', base)).status).toBe(204)
  expect((await env.api('GET', base)).status).toBe(404)
})
