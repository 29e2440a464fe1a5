import { describe, expect, test } from '@jest/globals'
import { createBroadcast, newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { retry } from '@notify/test-kit/activity'
import { expectProblem, inAnHour, untilAvailable } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshAddress } from '@notify/test-kit/email'
import { freshPhone } from '@notify/test-kit/sms'
import {
  addUsers,
  broadcastTo,
  content,
  control,
  env,
  freshUsers,
  idOf,
  listOf,
  lists,
  notificationsOf,
  progressOf,
  until,
} from './stack.ts'

/** What the clocks of a zone show, some hours from now. */
const localIn = (timeZone: string, hours: number) =>
  new Date(Date.now() + hours * 3_600_000).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T').slice(0, 16)

const whatsapp = {
  template_name: 'order_update',
  language: 'en_US',
  category: 'utility',
  parameters: ['{{name}}', 'A-1'],
}

describe('a broadcast', () => {
  test('sends one notification to each member that has an address, with the data of the member', async () => {
    const [ada = '', bob = '', ...strangers] = freshUsers(5)
    const phones = await addUsers([ada, bob])
    const listId = await listOf(strangers)
    await lists('PUT', `/${listId}/members`, { members: [{ user_id: ada, data: { name: 'Ada' } }, idOf(bob)] })
    const id = await broadcastTo(listId, {
      channel: 'sms',
      event_key: 'order.shipped',
      data: { name: 'you', order: '7' },
    })
    await until(id, { status: 'completed', total: 5, accepted: 2, refused: 3, refusals: { recipient_unknown: 3 } })
    const texts = async (user: string) =>
      eventually(async () => {
        const messages = await env.messages({ to: phones.get(user)! })
        expect(messages).toHaveLength(1)
        return messages[0]!.text
      })
    expect(await texts(ada)).toContain('Ada')
    expect(await texts(bob)).toContain('you')
    expect((await progressOf(id)).finished_at).not.toBeNull()
    const activity = (filter: string) =>
      env.api('GET', `/api/v1/activity?broadcast_id=${id}${filter}`, { token: env.operatorToken })
    await eventually(async () =>
      expect((await activity('&status=delivered')).body).toMatchObject({
        total_count: 2,
        items: [{ broadcast_id: id }, { broadcast_id: id }],
      }),
    )
    expect((await activity('&status=failed')).body.total_count).toBe(0)
  })

  test('with its own content fills it for members with data and without, also in an email of HTML alone', async () => {
    const [ada = '', bob = ''] = freshUsers(2)
    const addresses = { [ada]: freshAddress(), [bob]: freshAddress() }
    for (const [user, email] of Object.entries(addresses))
      await env.api('PUT', `/api/v1/users/${user}`, { body: { email } })
    const listId = await listOf([bob])
    await lists('PUT', `/${listId}/members`, { members: [{ user_id: ada, data: { name: 'Ada' } }] })
    const id = await broadcastTo(listId, {
      channel: 'email',
      subject: 'Dear {{ name }}',
      html_body: '<p>Hi {{ name | upcase }}</p>',
      template_data: { name: 'you' },
    })
    await until(id, { status: 'completed', accepted: 2, refused: 0 })
    for (const [user, name] of [
      [ada, 'Ada'],
      [bob, 'you'],
    ] as const)
      await eventually(async () =>
        expect(await env.messages({ to: addresses[user]! })).toMatchObject([
          { subject: `Dear ${name}`, text: `Hi ${name.toUpperCase()}` },
        ]),
      )
    const missing = await broadcastTo(listId, { channel: 'email', subject: 'News', html_body: '<p>Hi {{ name }}</p>' })
    const counts = { accepted: 1, refusals: { template_variable_missing: 1 } }
    await until(missing, { status: 'completed', ...counts })
  })

  test('is made once for each Idempotency-Key, and listed', async () => {
    const listId = await listOf(freshUsers(1))
    const request = { headers: { 'idempotency-key': crypto.randomUUID() } }
    const [first, again] = [
      await lists('POST', `/${listId}/notifications`, content, request),
      await lists('POST', `/${listId}/notifications`, content, request),
    ]
    expect(again.text).toBe(first.text)
    const { body } = await env.api('GET', `/api/v1/broadcasts?list_id=${listId}`, { token: env.operatorToken })
    expect(body.items).toMatchObject([{ broadcast_id: first.body.broadcast_id }])
  })

  test.each([
    ['a recipient', { ...content, recipient: { user_id: 'ada' } }, 422, 'validation_failed'],
    ['an address', { ...content, recipient: '+15551230001' }, 422, 'validation_failed'],
    ['copies', { channel: 'email', subject: 'x', body: 'x', cc: 'ada@shop.example' }, 422, 'validation_failed'],
    ['no content', { channel: 'sms' }, 422, 'validation_failed'],
    [
      'much metadata',
      { ...content, metadata: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [n, ''])) },
      422,
      'validation_failed',
    ],
    ['an unknown field', { ...content, colour: 'red' }, 422, 'validation_failed'],
    ['a channel that reaches no person', { channel: 'webhook', event_key: 'order.shipped' }, 422, 'validation_failed'],
    ['a past time', { ...content, send_at: '2020-01-01T00:00:00Z' }, 422, 'validation_failed'],
    [
      'a local time that is past everywhere',
      { ...content, send_at_local: '2020-01-01T12:00' },
      422,
      'validation_failed',
    ],
    [
      'a local time that is past in its zone',
      { ...content, send_at_local: localIn('Etc/GMT+11', -1), time_zone: 'Etc/GMT+11' },
      422,
      'validation_failed',
    ],
    ['a local time in years', { ...content, send_at_local: '9999-01-01T12:00' }, 422, 'validation_failed'],
    [
      'an expiry before its time',
      { ...content, send_at_local: localIn('UTC', 48), expires_at: inAnHour() },
      422,
      'validation_failed',
    ],
    ['an unknown event', { channel: 'sms', event_key: 'no.such' }, 404, 'event_not_found'],
    ['an unknown topic', { ...content, topic: 'nothing' }, 404, 'topic_not_found'],
    [
      'a long name of its recipients',
      { channel: 'email', subject: 'x', body: 'x', recipient: { name: 'x'.repeat(300) } },
      422,
      'invalid_recipient',
    ],
    [
      'no reference of consent',
      { channel: 'whatsapp', event_key: 'order.shipped', data: { name: 'Ada', order: '1' } },
      422,
      'WHATSAPP_OPT_IN_REQUIRED',
    ],
    ['an email without a subject', { channel: 'email', body: 'x' }, 422, 'validation_failed'],
    ['an empty text', { channel: 'sms', body: ' ' }, 422, 'validation_failed'],
    ['a text that no carrier takes', { channel: 'sms', body: 'x'.repeat(2000) }, 422, 'validation_failed'],
    ['text that is no template', { channel: 'sms', body: 'Hi {{ name' }, 422, 'validation_failed'],
    [
      'HTML that is no template',
      { channel: 'email', subject: 'x', html_body: '<p>{% if name %}</p>' },
      422,
      'validation_failed',
    ],
    [
      'an unknown layout',
      { channel: 'email', subject: 'x', html_body: '<p>x</p>', layout_id: newId('lay') },
      422,
      'validation_failed',
    ],
    [
      'a sender at another domain',
      { channel: 'email', subject: 'x', body: 'x', from: 'news@elsewhere.example' },
      422,
      'domain_not_verified',
    ],
    [
      'content that no carrier has approved',
      { channel: 'whatsapp', body: 'Hi', recipient: { opt_in_reference: 'form' } },
      422,
      'validation_failed',
    ],
    ['another channel of the event', { channel: 'sms', event_key: 'invoice.ready' }, 422, 'channel_not_allowed'],
  ])('with %s is refused as a whole', async (_what, body, status, code) => {
    const listId = await listOf(freshUsers(1))
    expectProblem(await lists('POST', `/${listId}/notifications`, body), status, code)
    expect(['validation_failed', ...createBroadcast.errors]).toContain(code)
  })

  test('without a topic is refused as a whole if the application requires one', async () => {
    const application = await addApplication(env)
    const path = `/api/v1/applications/${application.applicationId}`
    await env.api('PATCH', path, { token: env.operatorToken, body: { bulk_requires_topic: true } })
    const { apiKey: key } = await addKey(env, application, { permissions: ['lists:manage'] })
    const { body } = await lists('POST', '', { name: 'Customers' }, { key })
    await eventually(async () =>
      expectProblem(await lists('POST', `/${body.list_id}/notifications`, content, { key }), 422, 'topic_required'),
    )
    expect(createBroadcast.errors).toContain('topic_required')
  })

  test('with a text in a layout that is longer than a template is refused as a whole: members with data could not get it', async () => {
    const layout = { name: 'Long text', html_body: '{{ content }}' }
    const { body: made } = await env.api('POST', '/api/v1/layouts', { token: env.operatorToken, body: layout })
    const listId = await listOf(freshUsers(1))
    const mail = { channel: 'email', subject: 'x', html_body: '<p>x</p>', layout_id: made.layout_id }
    const answer = await lists('POST', `/${listId}/notifications`, { ...mail, body: 'x'.repeat(30_000) })
    expectProblem(answer, 422, 'validation_failed')
    expect((await lists('POST', `/${listId}/notifications`, { ...mail, body: 'x'.repeat(9000) })).status).toBe(202)
  })

  test.each([
    ['alone, is refused as a whole', 409, undefined, undefined],
    ['beside an approved translation, is refused as a whole', 409, { de: { whatsapp } }, undefined],
    ['beside the approved translation that it names, begins', 202, { de: { whatsapp } }, 'de'],
  ])('of a template that no carrier has approved, %s', async (what, status, translations, locale) => {
    const unknown = { ...whatsapp, template_name: 'never_heard_of' }
    const template = { name: `Unknown ${what.slice(0, 40)}`, templates: { whatsapp: unknown }, translations }
    const made = await env.api('POST', '/api/v1/templates', { token: env.operatorToken, body: template })
    const body = {
      channel: 'whatsapp',
      recipient: { opt_in_reference: 'form' },
      template_id: made.body.template_id,
      template_data: { name: 'Ada' },
      locale,
    }
    const answer = await lists('POST', `/${await listOf(freshUsers(1))}/notifications`, body)
    expect([answer.status, answer.body.code]).toEqual([status, status === 409 ? 'template_not_approved' : undefined])
  })

  test('for a local time refuses members whose clocks had passed it, and waits for the others', async () => {
    const [east = '', west = ''] = freshUsers(2)
    const zones = { [east]: 'Pacific/Kiritimati', [west]: 'Pacific/Honolulu' }
    for (const [user, timezone] of Object.entries(zones))
      await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: freshPhone(), timezone } })
    const id = await broadcastTo(await listOf([east, west]), {
      ...content,
      send_at_local: localIn('Pacific/Kiritimati', -2),
    })
    await until(id, { status: 'completed', accepted: 1, refusals: { validation_failed: 1 } })
    expect(await notificationsOf(id)).toEqual([{ status: 'scheduled', failure_reason: null, count: 1, users: 1 }])
  })

  test('is paused, resumed and cancelled; a member that is added later is not part of it', async () => {
    const users = freshUsers(450)
    await addUsers(users)
    const listId = await listOf(users)
    let id = ''
    // Before the pause comes, the worker could be through with it.
    await env.kill('dispatch-worker', 'SIGSTOP')
    try {
      id = await broadcastTo(listId, { ...content, send_at: inAnHour() })
      expect((await control(id, 'pause')).body.status).toBe('paused')
    } finally {
      await env.kill('dispatch-worker', 'SIGCONT')
    }
    expectProblem(await control(id, 'pause'), 409, 'broadcast_not_running')
    const late = freshUsers(1)
    await addUsers(late)
    await lists('PUT', `/${listId}/members`, { members: late.map(idOf) })
    expect((await control(id, 'resume', { token: env.operatorToken })).body.status).toBe('running')
    expectProblem(await control(id, 'resume', { token: env.operatorTokenNoRetry }), 403, 'permission_denied')
    await until(id, { status: 'completed', accepted: 450 })
    expect(await notificationsOf(id)).toEqual([{ status: 'scheduled', failure_reason: null, count: 450, users: 450 }])
    expect((await control(id, 'cancel')).body.status).toBe('cancelled')
    for (const verb of ['pause', 'resume', 'cancel'])
      expectProblem(await control(id, verb), 409, 'broadcast_not_running')
    await env.admin.query('update dispatch.notifications set next_attempt_at = now() where broadcast_id = $1', [id])
    const ended = { status: 'cancelled', failure_reason: 'broadcast_cancelled', count: 450, users: 450 }
    await eventually(async () => expect(await notificationsOf(id)).toEqual([ended]))
  })

  test('that is cancelled has no messages to retry', async () => {
    const [user = ''] = freshUsers(1)
    const body = { phone: freshPhone('0002') }
    expect((await untilAvailable(() => env.api('PUT', `/api/v1/users/${user}`, { body }))).status).toBe(200)
    const id = await broadcastTo(await listOf([user]))
    await eventually(async () => expect(await notificationsOf(id)).toMatchObject([{ status: 'undelivered' }]))
    const { rows } = await env.admin.query('select id from dispatch.notifications where broadcast_id = $1', [id])
    const stateOf = async () => (await env.api('GET', `/api/v1/notifications/${rows[0].id}`)).body
    expect(await stateOf()).toMatchObject({ delivery_status: 'undelivered', retryable: true })
    expect((await control(id, 'cancel')).body.status).toBe('cancelled')
    expect(await stateOf()).toMatchObject({ delivery_status: 'undelivered', retryable: false })
    const refusal = await untilAvailable(() => retry(env, rows[0].id))
    expectProblem(refusal, 409, 'not_retryable')
    expect(refusal.body.detail).toBe('The broadcast of this message was cancelled, or its application deleted')
  })

  test('has a limit of open ones for each tenant', async () => {
    const listId = await listOf(freshUsers(1))
    await env.kill('dispatch-worker')
    const ids = []
    for (let count = 0; count < 5; count++) ids.push(await broadcastTo(listId))
    expectProblem(await lists('POST', `/${listId}/notifications`, content), 409, 'broadcast_limit_reached')
    expect((await control(ids[0]!, 'cancel')).status).toBe(200)
    ids.push(await broadcastTo(listId))
    await env.restart('dispatch-worker')
    for (const id of ids.slice(1)) await until(id, { status: 'completed' })
  })

  test('of a required topic does not wait for the end of quiet hours', async () => {
    const [user = ''] = freshUsers(1)
    const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
    const quiet_hours = { start: clock(-3_600_000), end: clock(3_600_000) }
    const phone = freshPhone()
    await env.api('PUT', `/api/v1/users/${user}`, { body: { phone, timezone: 'UTC', quiet_hours } })
    const topic = { topic_key: 'safety', name: 'Safety', description: 'Dangers', kind: 'required', channels: ['sms'] }
    const path = `/api/v1/applications/${env.applicationId}/topics`
    expect((await env.api('POST', path, { token: env.operatorToken, body: topic })).status).toBe(201)
    const listId = await listOf([user])
    const [held, sent] = [await broadcastTo(listId), await broadcastTo(listId, { ...content, topic: 'safety' })]
    for (const id of [held, sent]) await until(id, { status: 'completed', accepted: 1 })
    await eventually(async () => expect(await notificationsOf(sent)).toMatchObject([{ status: 'delivered', count: 1 }]))
    expect(await notificationsOf(held)).toMatchObject([{ status: 'queued', count: 1 }])
    expect(await env.messages({ to: phone })).toHaveLength(1)
  })

  test('that waits for the end of quiet hours expires; a channel that cannot keep that refuses it', async () => {
    const [user = ''] = freshUsers(1)
    const hourOf = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    const quiet = { timezone: 'UTC', quiet_hours: { start: hourOf(-1), end: hourOf(2) } }
    await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: freshPhone(), ...quiet } })
    const list = await listOf([user])
    // Postgres takes no such offset.
    const id = await broadcastTo(list, { ...content, expires_at: '2099-01-01T00:00:00+23:59' })
    await until(id, { status: 'completed', accepted: 1 })
    await env.admin.query('update dispatch.notifications set expires_at = now() where broadcast_id = $1', [id])
    const expected = [{ status: 'cancelled', failure_reason: 'expired', count: 1, users: 1 }]
    await eventually(async () => expect(await notificationsOf(id)).toEqual(expected))
    const inApp = { channel: 'in_app', title: 'News', body: 'We have moved.' }
    const kept = await lists('POST', `/${list}/notifications`, { ...inApp, expires_at: inAnHour() })
    expectProblem(kept, 422, 'validation_failed')
  })

  test.each(['running', 'paused'])('ends when its list is deleted while it is %s', async (status) => {
    const listId = await listOf(freshUsers(1))
    const other = await broadcastTo(await listOf(freshUsers(1)), { ...content, send_at: inAnHour() })
    await until(other, { status: 'completed' })
    const id = await broadcastTo(listId)
    await until(id, { status: 'completed' })
    // As if the worker had not begun it yet.
    await env.admin.query(
      `update dispatch.broadcasts set status = $2, pages = 0, reached = null, finished_at = null, refusals = '{}',
         next_page_at = case $2 when 'running' then now() + interval '1 minute' end where id = $1`,
      [id, status],
    )
    expect((await lists('DELETE', `/${listId}`)).status).toBe(204)
    const ended = await progressOf(id)
    expect([ended.status, ended.finished_at]).toEqual(['cancelled', expect.any(String)])
    expect((await progressOf(other)).status).toBe('completed')
  })
})
