import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { asOperator, expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { openSchema } from '@notify/test-kit/database'
import { createTemplateCatalogue } from '../../src/catalogue/templates/template-catalogue.ts'
import { env } from './stack.ts'

const path = '/api/v1/templates'
const email = {
  subject: 'Your invoice {{ number }}',
  body: 'Hi {{ name }}, it is {{ total | round: 2 }}.',
  html_body: '<p>Hi {{ name }}</p>',
}
const invoice = { name: 'Invoice', templates: { email, sms: { body: 'Invoice {{ number }}' } } }
const variables = { name: 'Ada <3', number: 'A-1', total: 12.345 }

const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)
const of = (id: string) => `${path}/${id}`

async function create(body: object = invoice, request: ApiRequest = {}) {
  const answer = await call('POST', path, { body, ...request })
  expect(answer.status).toBe(201)
  return answer.body
}

test('a template is stored, read, replaced and deleted', async () => {
  const made = await create()
  expect(made).toEqual({
    template_id: expect.stringMatching(/^tmpl_[0-9a-hjkmnp-tv-z]{26}$/),
    name: 'Invoice',
    application_id: null,
    version: 1,
    templates: invoice.templates,
    translations: {},
    created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    updated_at: made.created_at,
  })
  expect(await call('GET', of(made.template_id))).toMatchObject({ status: 200, body: made })
  const changed = { name: 'Bill', application_id: env.applicationId, templates: { sms: { body: 'Bill {{ number }}' } } }
  const replaced = await call('PUT', of(made.template_id), { body: changed })
  expect([replaced.status, replaced.body]).toEqual([
    200,
    { ...made, ...changed, version: 2, updated_at: expect.any(String) },
  ])
  expect((await call('GET', of(made.template_id))).body).toEqual(replaced.body)
  const deleted = await call('DELETE', of(made.template_id))
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  for (const method of ['GET', 'DELETE']) expectProblem(await call(method, of(made.template_id)), 404, 'not_found')
  expectProblem(await call('PUT', of(made.template_id), { body: invoice }), 404, 'not_found')
  expectProblem(await call('POST', `${of(made.template_id)}/preview`, { body: {} }), 404, 'not_found')
})

test('a replacement that is based on an older version is refused, and changes nothing', async () => {
  const { template_id } = await create()
  const replace = (expected: string, name: string) =>
    call('PUT', `${of(template_id)}?expected_version=${expected}`, { body: { ...invoice, name } })
  const answers = await Promise.all(['One', 'Two', 'Three'].map((name) => untilAvailable(() => replace('1', name))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
  const { name } = answers.find(({ status }) => status === 200)!.body
  expect((await call('GET', of(template_id))).body).toMatchObject({ name, version: 2 })
  expect((await replace('2', 'Four')).body).toMatchObject({ name: 'Four', version: 3 })
  expectProblem(await replace('0', 'Five'), 422, 'validation_failed')
})

test('a preview shows templates that are not saved, and keeps the stored ones', async () => {
  const made = await create()
  const preview = (templates: object) =>
    call('POST', `${of(made.template_id)}/preview`, { body: { templates, template_data: { who: 'Ada' } } })
  const shown = await preview({ sms: { body: 'Hi {{ who }}' } })
  expect([shown.status, shown.body]).toEqual([
    200,
    expect.objectContaining({ template_id: made.template_id, version: null, rendered: { sms: { body: 'Hi Ada' } } }),
  ])
  expectProblem(await preview({ sms: { body: 'Hi {{ who' } }), 422, 'validation_failed')
  expect((await call('GET', of(made.template_id))).body).toEqual(made)
})

test('the list is newest first, in pages, without the texts', async () => {
  const made: string[] = []
  for (const name of ['One', 'Two', 'Three']) made.unshift((await create({ ...invoice, name })).template_id)
  const first = await call('GET', `${path}?limit=2`)
  expect(first.status).toBe(200)
  expect(first.body.items).toEqual([
    expect.objectContaining({ template_id: made[0], name: 'Three', version: 1 }),
    expect.objectContaining({ template_id: made[1], name: 'Two' }),
  ])
  expect([...first.body.items[0].channels].sort()).toEqual(['email', 'sms'])
  expect(first.body.items[0]).not.toHaveProperty('templates')
  const rest = await call('GET', `${path}?limit=100&cursor=${first.body.next_cursor}`)
  expect(rest.body.items[0]).toMatchObject({ template_id: made[2], name: 'One' })
  expect(rest.body.next_cursor).toBeNull()
  // The place in one list is none in another.
  expectProblem(await call('GET', `/api/v1/suppressions?cursor=${first.body.next_cursor}`), 422, 'validation_failed')
})

test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'cursor=tmpl_1', 'page=2'])(
  'a list asked for with %s is 422',
  async (query) => {
    expectProblem(await call('GET', `${path}?${query}`), 422, 'validation_failed')
  },
)

test('a preview shows what a send would say, HTML escaped, and sends nothing', async () => {
  const { template_id } = await create()
  const preview = (body: object) => call('POST', `${of(template_id)}/preview`, { body })
  const whole = await preview({ template_data: variables })
  expect([whole.status, whole.body]).toEqual([
    200,
    {
      template_id,
      version: 1,
      rendered: {
        email: {
          subject: 'Your invoice A-1',
          body: 'Hi Ada <3, it is 12.35.',
          html_body: '<p>Hi Ada &lt;3</p>',
        },
        sms: { body: 'Invoice A-1' },
      },
      locales: { email: null, sms: null },
      sms_segments: { encoding: 'GSM-7', segments: 1, outside: [] },
      whatsapp_message: null,
    },
  ])
  expect((await preview({ channel: 'sms', template_data: variables })).body.rendered).toEqual({
    sms: { body: 'Invoice A-1' },
  })
  expect(await env.messages()).toEqual([])
})

test('a preview that cannot be is refused as the send would be', async () => {
  const { template_id } = await create()
  const preview = (body: unknown) => call('POST', `${of(template_id)}/preview`, { body })
  const missing = await preview({ channel: 'sms' })
  expectProblem(missing, 422, 'template_variable_missing')
  expect(missing.body.errors).toEqual([expect.objectContaining({ path: 'template_data.number' })])
  const injected = await preview({ template_data: { ...variables, number: 'A\r\nBcc: all@example.com' } })
  expectProblem(injected, 422, 'validation_failed')
  expect(injected.body.errors).toEqual([expect.objectContaining({ path: 'template_data' })])
  for (const body of [{ channel: 'webhook' }, { channel: 'fax' }, { template_data: [] }, { data: {} }, []]) {
    expectProblem(await preview(body), 422, 'validation_failed')
  }
  const endless = await create({
    name: 'Endless',
    templates: {
      sms: { body: '{% for i in (1..1000000) %}{% for j in (1..1000000) %}{{ j }}{% endfor %}{% endfor %}' },
    },
  })
  const started = performance.now()
  expectProblem(await call('POST', `${of(endless.template_id)}/preview`, { body: {} }), 422, 'validation_failed')
  // A thread that renders for longer is killed; a busy machine notices later.
  expect(performance.now() - started).toBeLessThan(5000)
})

const sms = (body: string) => ({ name: 'T', templates: { sms: { body } } })

test.each<[string, unknown, string]>([
  ['no name', { templates: invoice.templates }, 'name'],
  ['a name of blanks', { ...invoice, name: '  ' }, 'name'],
  ['a long name', { ...invoice, name: 'x'.repeat(201) }, 'name'],
  ['no templates', { name: 'T' }, 'templates'],
  ['no channel', { name: 'T', templates: {} }, 'templates'],
  ['a channel nobody knows', { name: 'T', templates: { fax: { body: 'x' } } }, 'templates.fax'],
  ['an application that is none', { ...invoice, application_id: 'app_1' }, 'application_id'],
  ['a field nobody knows', { ...invoice, tenant_id: newId('ten') }, 'tenant_id'],
  ['an unclosed placeholder', sms('Hi {{ name'), 'templates.sms.body'],
  ['an unclosed block', sms('{% if a %}x'), 'templates.sms.body'],
  ['a tag that reads files', sms('{% include "package.json" %}'), 'templates.sms.body'],
  ['a filter nobody knows', sms('{{ a | explode }}'), 'templates.sms.body'],
  ['200 blocks in each other', sms(`${'{% if a %}'.repeat(200)}x${'{% endif %}'.repeat(200)}`), 'templates.sms.body'],
  ['20,001 characters', sms('x'.repeat(20_001)), 'templates.sms.body'],
  [
    'HTML without escaping',
    { name: 'T', templates: { email: { ...email, html_body: '{{ name | raw }}' } } },
    'templates.email.html_body',
  ],
  [
    'a line break in its subject',
    { name: 'x', templates: { email: { subject: 'a\nBcc: b@example.com', body: 'b' } } },
    'templates.email.subject',
  ],
])('a template with %s is 422 naming the field, and is not stored', async (_what, body, field) => {
  const before = await env.sql('dispatch').query('select from dispatch.templates')
  const answer = await call('POST', path, { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(field)
  expect((await env.sql('dispatch').query('select from dispatch.templates')).rowCount).toBe(before.rowCount)
})

test('a replacement that could never be filled leaves the template as it was', async () => {
  const made = await create()
  expectProblem(await call('PUT', of(made.template_id), { body: sms('{{ a') }), 422, 'validation_failed')
  expect((await call('GET', of(made.template_id))).body).toEqual(made)
})

test('with one Idempotency-Key a template is stored once; another body is a conflict', async () => {
  const headers = { 'idempotency-key': 'template-1' }
  const make = () => call('POST', path, { body: invoice, headers })
  const answers = await Promise.all(Array.from({ length: 4 }, () => untilAvailable(make)))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expectProblem(await call('POST', path, { body: sms('other'), headers }), 409, 'idempotency_conflict')
})

test('with one Idempotency-Key a preview is answered as before, also when the template has changed, and kept encrypted', async () => {
  const { template_id } = await create()
  const preview = (template_data: object) =>
    call('POST', `${of(template_id)}/preview`, { body: { template_data }, headers: { 'idempotency-key': 'preview-1' } })
  const first = await preview(variables)
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
  await call('PUT', of(template_id), { body: sms('Something else') })
  const again = await preview(variables)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  expectProblem(await preview({ ...variables, name: 'Eve' }), 409, 'idempotency_conflict')
  const { rows } = await env.admin.query(`select response from dispatch.idempotency_keys where key = 'preview-1'`)
  expect(rows).toHaveLength(1)
  expect(Buffer.from(rows[0].response, 'base64').toString() + rows[0].response).not.toMatch(/Ada|invoice/)
})

test('only operators with events:manage come near, and only to their own tenant’s', async () => {
  const { template_id } = await create()
  const routes: [string, string, object?][] = [
    ['GET', path],
    ['POST', path, invoice],
    ['GET', of(template_id)],
    ['PUT', of(template_id), invoice],
    ['POST', `${of(template_id)}/preview`, { template_data: variables }],
    ['DELETE', of(template_id)],
  ]
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'providers:manage'] })
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['events:manage'] })
  for (const [method, url, body] of routes) {
    const request = body ? { body } : {}
    expectProblem(await env.api(method, url, { ...request, token: mayNot }), 403, 'permission_denied')
    expectProblem(await env.api(method, url, request), 403, 'permission_denied')
    expectProblem(await env.api(method, url, { ...request, key: null }), 401, 'unauthenticated')
    if (url !== path) expectProblem(await env.api(method, url, { ...request, token: stranger }), 404, 'not_found')
  }
  expect((await env.api('GET', path, { token: stranger })).body.items).toEqual([])
  expect((await call('GET', of(template_id))).body.version).toBe(1)
})

test.each(['nonsense', 'tmpl_1', '%00', 'tmpl_01jd3x8qk5w9t2m4v6b8n0p2r4'])('the id %s is 404', async (id) => {
  expectProblem(await call('GET', of(id)), 404, 'not_found')
})

test('a send finds a template of its tenant and application, and the new one within a second', async () => {
  const { db, kit } = await openSchema(env, 'dispatch')
  const catalogue = createTemplateCatalogue(db)
  const other = (await addApplication(env)).applicationId
  const everybodys = (await create()).template_id
  const own = (await create({ ...invoice, application_id: env.applicationId })).template_id
  const find = async (id: string, application = env.applicationId, tenant = env.tenantId) =>
    (await catalogue.find(tenant, application, id))?.templates
  expect(await find(everybodys)).toEqual(invoice.templates)
  expect(await find(everybodys, other)).toEqual(invoice.templates)
  expect(await find(everybodys, env.applicationId, newId('ten'))).toBeUndefined()
  expect(await find(own)).toEqual(invoice.templates)
  expect(await find(own, other)).toBeUndefined()
  await call('PUT', of(own), { body: { ...sms('new'), application_id: other } })
  await eventually(async () => expect(await find(own, other)).toEqual(sms('new').templates))
  await eventually(async () => expect(await find(own)).toBeUndefined())
  await kit.stop()
})
