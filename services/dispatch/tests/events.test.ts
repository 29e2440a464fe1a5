import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { openDatabase } from '@notify/database'
import { addApplication, addBareTenant, operatorToken } from '@notify/test-kit/other-callers'
import { createTestKit } from '@notify/test-kit/service-kit'
import { expectProblem, freshPhone, post } from '@notify/test-kit/sms'
import { type ApiRequest, eventually, TestEnv } from '../../../packages/dev-env/src/index.ts'
import type { Tables } from '../src/db/schema.ts'
import { createEventCatalogue } from '../src/events/event-catalogue.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], { apart: ['dispatch-api'] })
})
afterAll(() => env?.stop())

const call = (method: string, url: string, request: ApiRequest = {}) =>
  env.api(method, url, { token: env.operatorToken, ...request })
const listPath = (applicationId = env.applicationId) => `/api/v1/applications/${applicationId}/events`
const of = (key: string, rest = '') => `${listPath()}/${key}${rest}`

let serial = 0
const freshKey = () => `order.test-${++serial}`
const sms = (body: string) => ({ sms: { body } })
const record = (fields: object = {}) => ({
  event_key: freshKey(),
  name: 'Order',
  allowed_channels: ['sms'],
  templates: sms('First {{ name }}'),
  ...fields,
})

async function create(fields: object = {}) {
  const answer = await call('POST', listPath(), { body: record(fields) })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

async function act(key: string, action: string, request: ApiRequest = {}) {
  const answer = await call('POST', of(key, `/${action}`), request)
  expect([answer.status, answer.body.detail]).toEqual([200, undefined])
  return answer.body
}

const save = (key: string, templates: object, fields: object = {}) =>
  call('PUT', of(key), { body: { name: 'Order', allowed_channels: ['sms'], templates, ...fields } })

const send = (key: string) =>
  post(env, { channel: 'sms', recipient: { phone: freshPhone() }, event_key: key, data: { name: 'Ada' } })

async function textOf(key: string) {
  const phone = freshPhone()
  const answer = await post(env, { channel: 'sms', recipient: { phone }, event_key: key, data: { name: 'Ada' } })
  expect([answer.status, answer.body.detail]).toEqual([202, undefined])
  return eventually(async () => {
    const [message] = await env.messages({ to: phone })
    expect(message).toBeDefined()
    return message!.text
  })
}

test('the whole record is taken: published at once, and sent', async () => {
  const whole = record({ status: 'published', version: 1 })
  const { status, body } = await call('POST', listPath(), { body: whole })
  expect([status, body]).toEqual([
    201,
    {
      ...whole,
      application_id: env.applicationId,
      draft: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
    },
  ])
  expect((await call('GET', of(whole.event_key))).body).toEqual(body)
  expect(await textOf(whole.event_key)).toBe('First Ada')
})

test('a draft is never sent: publishing makes a version of it, which takes effect within about a second', async () => {
  const { event_key: key, ...made } = await create()
  expect(made).toMatchObject({ status: 'draft', version: 1, draft: null })
  expectProblem(await send(key), 404, 'event_not_found')
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  await eventually(async () => expect(await textOf(key)).toBe('First Ada'))
  const changed = await save(key, sms('Second {{ name }}'))
  expect(changed.body).toMatchObject({
    status: 'published',
    version: 1,
    templates: sms('First {{ name }}'),
    draft: { name: 'Order', allowed_channels: ['sms'], templates: sms('Second {{ name }}') },
  })
  expect(await textOf(key)).toBe('First Ada')
  expect(await act(key, 'publish')).toMatchObject({ version: 2, draft: null, templates: sms('Second {{ name }}') })
  await eventually(async () => expect(await textOf(key)).toBe('Second Ada'))
})

test('a change that is based on an older state is refused, until it names the present one', async () => {
  const { event_key: key, updated_at: first } = await create({ status: 'published' })
  const based = (on: string, text: string) =>
    call('PUT', of(key, `?expected_updated_at=${on}`), {
      body: { name: 'Order', allowed_channels: ['sms'], templates: sms(text) },
    })
  const mine = await based(first, 'Mine {{ name }}')
  expect(mine.status).toBe(200)
  const theirs = await based(first, 'Theirs {{ name }}')
  expectProblem(theirs, 409, 'edit_conflict')
  expectProblem(await call('POST', of(key, `/publish?expected_updated_at=${first}`)), 409, 'edit_conflict')
  expect((await call('GET', of(key))).body).toEqual(mine.body)
  expect((await based(mine.body.updated_at, 'Theirs {{ name }}')).status).toBe(200)
  expectProblem(await based('yesterday', 'x'), 422, 'validation_failed')
})

test('of many who change one state at the same moment, one succeeds; each state has a time of its own', async () => {
  const { event_key: key, ...made } = await create()
  let present: string = made.updated_at
  const seen = new Set([present])
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, editor) =>
        call('PUT', of(key, `?expected_updated_at=${present}`), {
          body: { name: `Order ${round}/${editor}`, allowed_channels: ['sms'], templates: sms('First') },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    present = answers.find(({ status }) => status === 200)!.body.updated_at
    seen.add(present)
  }
  expect(seen.size).toBe(6)
})

test('publishing again without changes makes no version', async () => {
  const { event_key: key } = await create({ status: 'published' })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  expect((await call('GET', of(key, '/versions'))).body.items).toHaveLength(1)
})

test('an inactive event is refused until it is published again, as it was', async () => {
  const { event_key: key } = await create({ status: 'published' })
  expect(await act(key, 'deactivate')).toMatchObject({ status: 'inactive', version: 1 })
  await eventually(async () => expectProblem(await send(key), 404, 'event_not_found'))
  expect(await act(key, 'deactivate')).toMatchObject({ status: 'inactive' })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  await eventually(async () => expect((await send(key)).status).toBe(202))
  const { event_key: draft } = await create()
  expectProblem(await call('POST', of(draft, '/deactivate')), 409, 'event_not_published')
})

test('versions are kept as they were; rolling back publishes an earlier one anew and keeps the draft', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second {{ name }}'))
  await act(key, 'publish')
  await save(key, sms('Third {{ name }}'))
  const restored = await act(key, 'versions/1/restore')
  expect(restored).toMatchObject({ version: 3, templates: sms('First {{ name }}') })
  expect(restored.draft.templates).toEqual(sms('Third {{ name }}'))
  await eventually(async () => expect(await textOf(key)).toBe('First Ada'))
  const { items } = (await call('GET', of(key, '/versions'))).body
  expect(items.map(({ version, is_current }: never) => [version, is_current])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ])
  expect(items[0]).toMatchObject({ published_by: expect.any(String), published_at: expect.any(String) })
  expect((await call('GET', of(key, '/versions/2'))).body).toMatchObject({
    version: 2,
    templates: sms('Second {{ name }}'),
    is_current: false,
  })
  const first = (await call('GET', of(key, '/versions?limit=2'))).body
  const rest = (await call('GET', of(key, `/versions?limit=2&cursor=${first.next_cursor}`))).body
  expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([2, 1, null])
  for (const version of ['0', '99', 'x', '1e3', '%00', '99999999999'])
    expectProblem(await call('GET', of(key, `/versions/${version}`)), 404, 'not_found')
})

test('many who publish one draft at the same moment make one version', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second {{ name }}'))
  const answers = await Promise.all(Array.from({ length: 12 }, () => call('POST', of(key, '/publish'))))
  expect(answers.map(({ status, body }) => [status, body.version])).toEqual(answers.map(() => [200, 2]))
  expect((await call('GET', of(key, '/versions'))).body.items).toHaveLength(2)
})

test('while versions are published one after the other, each message is one of them whole', async () => {
  const whole = (n: number) => ({ email: { subject: `S${n}`, body: `B${n} {{ name }}` } })
  const email = { allowed_channels: ['email'] }
  const { event_key: key } = await create({ ...email, status: 'published', templates: whole(0) })
  const recipient = `ada+${key}@mailbox.example`
  const publishing = (async () => {
    for (let n = 1; n <= 8; n++) {
      await save(key, whole(n), email)
      await act(key, 'publish')
    }
  })()
  const sending = Array.from({ length: 40 }, () =>
    post(env, { channel: 'email', recipient, event_key: key, data: { name: 'Ada' } }),
  )
  await publishing
  expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(sending.map(() => 202))
  await eventually(async () => {
    const messages = await env.messages({ to: recipient })
    expect(messages).toHaveLength(40)
    for (const { subject, text } of messages as { subject?: string; text: string }[])
      expect(text.trim()).toBe(`B${subject?.slice(1)} Ada`)
  })
})

test('a preview shows the draft, or the version that is asked for, and names the variable that is missing', async () => {
  const { event_key: key } = await create({ status: 'published' })
  const preview = (body: object) => call('POST', of(key, '/preview'), { body })
  const data = { name: 'Ada' }
  expect((await preview({ data })).body).toEqual({ event_key: key, version: 1, rendered: sms('First Ada') })
  await save(key, { ...sms('Second {{ name }}'), email: { subject: 'Hi {{ name }}', body: 'Text' } })
  expect((await preview({ data })).body).toEqual({
    event_key: key,
    version: null,
    rendered: { ...sms('Second Ada'), email: { subject: 'Hi Ada', body: 'Text' } },
  })
  expect((await preview({ data, version: 1, channel: 'sms' })).body.rendered).toEqual(sms('First Ada'))
  for (const channel of ['sms', 'email']) {
    const missing = await preview({ channel })
    expectProblem(missing, 422, 'template_variable_missing')
    expect(missing.body.errors).toEqual([expect.objectContaining({ path: 'data.name' })])
  }
  const unsaved = { ...sms('Third {{ name }}'), in_app: { title: 'Hi', body: 'Text' } }
  expect((await preview({ data, templates: unsaved, channel: 'sms' })).body).toEqual({
    event_key: key,
    version: null,
    rendered: sms('Third Ada'),
  })
  const broken = await preview({ data, templates: sms('{{ name') })
  expectProblem(broken, 422, 'validation_failed')
  expect(broken.body.errors).toEqual([expect.objectContaining({ path: 'templates.sms.body' })])
  expectProblem(await preview({ data, templates: unsaved, version: 1 }), 422, 'validation_failed')
  expectProblem(await preview({ data, version: 7 }), 404, 'not_found')
  expectProblem(await preview({ data, channel: 'webhook' }), 422, 'validation_failed')
  expectProblem(await preview({ template_data: data }), 422, 'validation_failed')
})

const whatsapp = { template_name: 'order_update', language: 'en_US', category: 'utility', parameters: ['{{ name }}'] }

test('a template of one-time codes without the code cannot be published', async () => {
  const allowed_channels = ['sms', 'email']
  const texts = (sms: string, html_body: string) => ({
    sms: { body: sms },
    email: { subject: 'Code', body: '{{code}}', html_body },
  })
  for (const key of ['otp', 'otp.de']) {
    await create({ event_key: key, allowed_channels, templates: texts('Your code, {{name}}', '<b>code</b>') })
    const refused = await call('POST', of(key, '/publish'))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'templates.sms.body',
      'templates.email.html_body',
    ])
    await save(key, texts('{{ code }} for {{minutes}} min', '<b>{{code}}</b>'), { allowed_channels })
    expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
  }
})

test('a WhatsApp template of another category than the approved one cannot be published', async () => {
  await eventually(async () => {
    const { rows } = await env.admin.query(`select from dispatch.carrier_templates where name = 'order_update'`)
    expect(rows.length).toBeGreaterThan(0)
  })
  const allowed = { allowed_channels: ['whatsapp'] }
  const templates = { whatsapp: { ...whatsapp, category: 'marketing' } }
  const { event_key: key } = await create({ ...allowed, templates })
  const mismatch = await call('POST', of(key, '/publish'))
  expectProblem(mismatch, 422, 'template_category_mismatch')
  expect(mismatch.body.errors).toEqual([expect.objectContaining({ path: 'templates.whatsapp.category' })])
  expectProblem(
    await call('POST', listPath(), { body: record({ ...allowed, templates, status: 'published' }) }),
    422,
    'template_category_mismatch',
  )
  await save(key, { whatsapp }, allowed)
  expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
  // What is not judged yet can be published; sending it is refused until it is approved.
  const unknown = { whatsapp: { ...whatsapp, template_name: 'not_known_yet' } }
  expect(await create({ ...allowed, templates: unknown, status: 'published' })).toMatchObject({ status: 'published' })
})

test.each<[string, object, string]>([
  ['no channel', { allowed_channels: [] }, 'allowed_channels'],
  ['a channel without template', { allowed_channels: ['sms', 'email'] }, 'templates.email'],
])('what allows %s is kept as a draft and cannot be published', async (_what, fields, path) => {
  const { event_key: key } = await create(fields)
  for (const refused of [
    await call('POST', of(key, '/publish')),
    await call('POST', listPath(), { body: record({ ...fields, status: 'published' }) }),
  ]) {
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual([path])
  }
})

test.each<[string, object, string]>([
  ['a key with a blank', { event_key: 'a b' }, 'event_key'],
  ['a key of 129 characters', { event_key: 'x'.repeat(129) }, 'event_key'],
  ['a key that is none', { event_key: 7 }, 'event_key'],
  ['no name', { name: undefined }, 'name'],
  ['a long name', { name: 'x'.repeat(201) }, 'name'],
  ['a NUL in its name', { name: 'a\u0000b' }, 'name'],
  ['a lone surrogate in its name', { name: 'a\ud800' }, 'name'],
  ['a channel nobody knows', { allowed_channels: ['fax'] }, 'allowed_channels.0'],
  ['channels that are none', { allowed_channels: 'sms' }, 'allowed_channels'],
  ['another status', { status: 'live' }, 'status'],
  ['version 0', { version: 0 }, 'version'],
  ['a field nobody knows', { tenant_id: newId('ten') }, 'tenant_id'],
  ['templates of a channel nobody knows', { templates: { fax: {} } }, 'templates.fax'],
  ['a text that does not parse', { templates: sms('Hi {{ name') }, 'templates.sms.body'],
  ['a text that is blank', { templates: sms(' \n ') }, 'templates.sms.body'],
  ['a fixed text that no SMS can be', { templates: sms('x'.repeat(1601)) }, 'templates.sms.body'],
  ['a blank subject', { templates: { email: { subject: ' ', body: 'x' } } }, 'templates.email.subject'],
  ['a long subject', { templates: { email: { subject: 'x'.repeat(999), body: 'x' } } }, 'templates.email.subject'],
  ['an empty email', { templates: { email: { subject: 'x', body: ' ' } } }, 'templates.email.body'],
  ['an empty notice', { templates: { in_app: { title: 'x', body: '' } } }, 'templates.in_app.body'],
  [
    'a WhatsApp name that Meta has not',
    { templates: { whatsapp: { ...whatsapp, template_name: 'Order Update' } } },
    'templates.whatsapp.template_name',
  ],
  [
    'a WhatsApp language that is none',
    { templates: { whatsapp: { ...whatsapp, language: 'English!' } } },
    'templates.whatsapp.language',
  ],
  [
    'a category that is none',
    { templates: { whatsapp: { ...whatsapp, category: 'spam' } } },
    'templates.whatsapp.category',
  ],
  [
    'an empty parameter',
    { templates: { whatsapp: { ...whatsapp, parameters: ['a', ''] } } },
    'templates.whatsapp.parameters.1',
  ],
])('an event with %s is 422 naming the field, and is not stored', async (_what, fields, path) => {
  const before = await env.admin.query('select from dispatch.events')
  const answer = await call('POST', listPath(), { body: record(fields) })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(path)
  expect((await env.admin.query('select from dispatch.events')).rowCount).toBe(before.rowCount)
})

test.each(['{"__proto__": {"status": "published"}}', '{"constructor": {"prototype": {"status": "published"}}}'])(
  'what a body brings along as %s pollutes nothing',
  async (text) => {
    const raw = JSON.stringify(record()).replace('{', `${text.slice(0, -1)},`)
    const answer = await call('POST', listPath(), { raw, headers: { 'content-type': 'application/json' } })
    expectProblem(answer, 422, 'validation_failed')
  },
)

test('a draft that could never be sent is refused, and leaves the event as it was', async () => {
  const made = await create({ status: 'published' })
  expectProblem(await save(made.event_key, sms('{{ a')), 422, 'validation_failed')
  expect((await call('GET', of(made.event_key))).body).toEqual(made)
})

test('a key exists once; with one Idempotency-Key an event is made once, and published once', async () => {
  const made = record()
  const headers = { 'idempotency-key': 'event-1' }
  const answers = await Promise.all(Array.from({ length: 4 }, () => call('POST', listPath(), { body: made, headers })))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expectProblem(await call('POST', listPath(), { body: made }), 409, 'event_exists')
  const publish = () => call('POST', of(made.event_key, '/publish'), { headers })
  const first = await publish()
  await save(made.event_key, sms('Second'))
  expect((await publish()).text).toBe(first.text)
  expect((await call('GET', of(made.event_key))).body.draft).not.toBeNull()
})

test('the list is by key, in pages, by status, without the texts', async () => {
  const { applicationId } = await addApplication(env)
  for (const [event_key, status] of [
    ['b', 'published'],
    ['a', 'draft'],
    ['c', 'published'],
  ])
    await call('POST', listPath(applicationId), { body: record({ event_key, status }) })
  const list = async (query = '') => (await call('GET', listPath(applicationId) + query)).body
  const keys = ({ items }: { items: { event_key: string }[] }) => items.map(({ event_key }) => event_key)
  expect(keys(await list())).toEqual(['a', 'b', 'c'])
  expect(keys(await list('?status=published'))).toEqual(['b', 'c'])
  expect((await list()).items[0]).not.toHaveProperty('templates')
  const first = await list('?limit=2')
  expect(keys(await list(`?limit=2&cursor=${first.next_cursor}`))).toEqual(['c'])
  // The place in one list is none in another.
  expectProblem(await call('GET', `${listPath()}?cursor=${first.next_cursor}`), 422, 'validation_failed')
  for (const query of ['limit=0', 'limit=101', 'cursor=x', 'status=live', 'page=1'])
    expectProblem(await call('GET', `${listPath()}?${query}`), 422, 'validation_failed')
})

test('only operators with events:manage come near, and only to applications of their tenant', async () => {
  const { event_key: key } = await create({ status: 'published' })
  const other = await addBareTenant(env)
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'providers:manage', 'applications:manage'] })
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['events:manage'] })
  const routes: [string, string, object?][] = [
    ['GET', ''],
    ['POST', '', record()],
    ['GET', `/${key}`],
    ['PUT', `/${key}`, { name: 'x', templates: {} }],
    ['POST', `/${key}/publish`],
    ['POST', `/${key}/deactivate`],
    ['POST', `/${key}/preview`, { data: {} }],
    ['GET', `/${key}/versions`],
    ['GET', `/${key}/versions/1`],
    ['POST', `/${key}/versions/1/restore`],
  ]
  for (const [method, rest, body] of routes) {
    const request = body ? { body } : {}
    const url = listPath() + rest
    expectProblem(await env.api(method, url, { ...request, token: mayNot }), 403, 'permission_denied')
    expectProblem(await env.api(method, url, request), 403, 'permission_denied')
    expectProblem(await env.api(method, url, { ...request, key: null }), 401, 'unauthenticated')
    const foreign = await env.api(method, url, { ...request, token: stranger })
    expectProblem(foreign, 404, 'not_found')
    for (const unknown of [newId('app'), 'nonsense']) {
      const answer = await env.api(method, listPath(unknown) + rest, { ...request, token: stranger })
      expectProblem(answer, 404, 'not_found')
      expect(answer.body.detail).toBe(foreign.body.detail)
    }
    // An application of one's own has no event of the other's.
    const own = await env.api(method, listPath(other.applicationId) + rest, { ...request, token: stranger })
    if (rest.startsWith(`/${key}`)) expectProblem(own, 404, 'event_not_found')
  }
  expect((await call('GET', of(key))).body).toMatchObject({ version: 1, status: 'published', draft: null })
})

test.each(['nonsense', 'a%20b', 'x'.repeat(129), '🦆'])('the key %s is 404', async (key) => {
  expectProblem(await call('GET', of(key)), 404, 'event_not_found')
  expectProblem(await call('POST', of(key, '/publish')), 404, 'event_not_found')
  expectProblem(await call('GET', of('%00')), 404, 'not_found')
})

test('each change stands in the audit log with who made it and what it changed', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second'))
  await act(key, 'publish')
  await act(key, 'versions/1/restore')
  await act(key, 'deactivate')
  const entries = await eventually(async () => {
    const { rows } = await env.admin.query(
      `select action, actor_kind, application_id, before, after from gateway.audit_log where resource_id = $1 order by id`,
      [key],
    )
    expect(rows).toHaveLength(5)
    return rows
  })
  expect(entries.map(({ action }) => action)).toEqual([
    'event.created',
    'event.changed',
    'event.published',
    'event.restored',
    'event.deactivated',
  ])
  expect(entries[2]).toMatchObject({
    actor_kind: 'operator',
    application_id: env.applicationId,
    before: { version: 1, templates: sms('First {{ name }}'), draft: { templates: sms('Second') } },
    after: { version: 2, templates: sms('Second'), draft: null },
  })
})

test('another process uses what was published within about a second', async () => {
  const kit = createTestKit('dispatch')
  const config = { DATABASE_URL: env.stack.databaseUrl('dispatch'), DATABASE_POOL_SIZE: 2 }
  const catalogue = createEventCatalogue(await openDatabase<Tables>(kit, { config }))
  const find = (key: string) => catalogue.find(env.applicationId, key)
  const { event_key: key } = await create()
  expect(await find(key)).toBeUndefined()
  await act(key, 'publish')
  await eventually(async () => expect((await find(key))?.templates).toEqual(sms('First {{ name }}')))
  await save(key, sms('Second'))
  expect((await find(key))?.templates).toEqual(sms('First {{ name }}'))
  await act(key, 'deactivate')
  await eventually(async () => expect(await find(key)).toBeUndefined())
  await kit.stop()
})

test('an event of the bootstrap document that an operator has published stays so over a restart', async () => {
  const key = 'invoice.ready'
  const email = { subject: 'Changed {{ order }}', body: 'Changed for {{ name }}' }
  const saved = await save(key, { email }, { allowed_channels: ['email'] })
  expect(saved.status).toBe(200)
  expect(await act(key, 'publish')).toMatchObject({ version: 2 })
  await env.restart('dispatch-api')
  expect((await call('GET', of(key))).body).toMatchObject({ version: 2, templates: { email } })
  expect(await act(key, 'versions/1/restore')).toMatchObject({ version: 3, allowed_channels: ['email'] })
})
