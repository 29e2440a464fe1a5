import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { asOperator, expectProblem, post, untilState } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { emailOf, freshAddress } from '@notify/test-kit/email'
import { env } from './stack.ts'

const path = '/api/v1/layouts'
const of = (id: string) => `${path}/${id}`
const brand = {
  name: 'Brand',
  html_body: '<html><body><h1>Shop</h1>{{ content }}<p>Bye, {{ name }}</p></body></html>',
  body: '{{ content }}\n-- \nShop for {{ name }}',
}
const german = { html_body: '<html><body>{{ content }}<p>Tschüss, {{ name }}</p></body></html>' }

const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)

async function create(body: object = brand): Promise<string> {
  const answer = await call('POST', path, { body })
  expect(answer.status).toBe(201)
  return answer.body.layout_id
}

async function arrived(request: object): Promise<{ text: string; html: string }> {
  const recipient = freshAddress()
  const { status, body } = await post(env, { channel: 'email', recipient, ...request })
  expect([status, body]).toEqual([202, expect.anything()])
  await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  const { text, html = '' } = await emailOf(env, recipient)
  return { text, html }
}

const content = { subject: 'S', body: 'Text & more', html_body: '<b>Hi {{ name }}</b>', template_data: { name: 'A<3' } }
const events = () => `/api/v1/applications/${env.applicationId}/events`
const event = (email: object, fields: object = {}) => ({
  ...{ event_key: `laid.${crypto.randomUUID()}`, name: 'Laid', status: 'published', allowed_channels: ['email'] },
  ...{ templates: { email }, ...fields },
})

test('a layout is stored, read, listed, replaced and deleted', async () => {
  const made = await call('POST', path, { body: { ...brand, translations: { de: german } } })
  const { layout_id } = made.body
  expect([made.status, made.body]).toEqual([
    201,
    {
      ...{ layout_id: expect.stringMatching(/^lay_[0-9a-hjkmnp-tv-z]{26}$/), application_id: null, version: 1 },
      ...{ ...brand, translations: { de: german } },
      ...{ created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), updated_at: made.body.created_at },
    },
  ])
  expect((await call('GET', of(layout_id))).body).toEqual(made.body)
  const [listed] = (await call('GET', `${path}?limit=1`)).body.items
  expect(listed).toMatchObject({ layout_id, name: 'Brand', locales: ['de'] })
  expect(listed).not.toHaveProperty('html_body')
  const { body: _, ...changed } = { ...brand, name: 'Other' }
  const replaced = await call('PUT', `${of(layout_id)}?expected_version=1`, { body: changed })
  expect([replaced.status, replaced.body]).toMatchObject([
    200,
    { name: 'Other', version: 2, translations: { de: german } },
  ])
  expect(replaced.body).not.toHaveProperty('body')
  expectProblem(await call('PUT', `${of(layout_id)}?expected_version=1`, { body: brand }), 409, 'edit_conflict')
  expect((await call('DELETE', of(layout_id))).status).toBe(204)
  for (const method of ['GET', 'DELETE']) expectProblem(await call(method, of(layout_id)), 404, 'not_found')
  expectProblem(await call('PUT', of(layout_id), { body: brand }), 404, 'not_found')
  expectProblem(await call('POST', `${of(layout_id)}/preview`, { body: {} }), 404, 'not_found')
})

test('a layout stands around the email of content, of an event and of a stored template', async () => {
  const layout_id = await create()
  const { template_data, ...texts } = content
  const email = { ...texts, layout_id }
  const { event_key } = (await call('POST', events(), { body: event(email) })).body
  const { template_id } = (await call('POST', '/api/v1/templates', { body: { name: 'T', templates: { email } } })).body
  for (const request of [
    { ...email, template_data },
    { event_key, data: template_data },
    { template_id, template_data },
  ])
    expect(await arrived(request)).toEqual({
      html: '<html><body><h1>Shop</h1><b>Hi A&lt;3</b><p>Bye, A&lt;3</p></body></html>',
      text: 'Text & more\n-- \nShop for A<3',
    })
})

test('an email gets the layout in the language of its text', async () => {
  const layout_id = await create({ ...brand, translations: { de: german } })
  const { event_key } = (
    await call('POST', events(), {
      body: event(
        { subject: 'S', html_body: '<b>Hi</b>', layout_id },
        { translations: { 'de-AT': { email: { subject: 'S', html_body: '<b>Servus</b>', layout_id } } } },
      ),
    })
  ).body
  const { html } = await arrived({ event_key, data: { name: 'Ada' }, locale: 'de-AT' })
  expect(html).toBe('<html lang="de-AT"><body><b>Servus</b><p>Tschüss, Ada</p></body></html>')
  expect((await arrived({ event_key, data: { name: 'Ada' }, locale: 'fr' })).html).toContain('<b>Hi</b><p>Bye, Ada</p>')
})

test('previews of events and stored templates show the layout, and so does that of a layout itself', async () => {
  const layout_id = await create({ ...brand, translations: { de: german } })
  const email = { subject: 'S', html_body: '<b>Hi</b>', layout_id }
  const { event_key } = (await call('POST', events(), { body: event(email) })).body
  const whole = '<html><body><h1>Shop</h1><b>Hi</b><p>Bye, Ada</p></body></html>'
  const ofEvent = await call('POST', `${events()}/${event_key}/preview`, { body: { data: { name: 'Ada' } } })
  expect(ofEvent.body.rendered.email.html_body).toBe(whole)
  const { template_id } = (await call('POST', '/api/v1/templates', { body: { name: 'T', templates: { email } } })).body
  const preview = { template_data: { name: 'Ada' }, templates: { email } }
  const ofTemplate = await call('POST', `/api/v1/templates/${template_id}/preview`, { body: preview })
  expect(ofTemplate.body.rendered.email.html_body).toBe(whole)
  const own = (body: object) => call('POST', `${of(layout_id)}/preview`, { body })
  expect((await own({ template_data: { name: 'Ada' } })).body).toEqual({
    ...{ layout_id, version: 1, locale: null },
    rendered: {
      html_body: '<html><body><h1>Shop</h1><p>The content of the email.</p><p>Bye, Ada</p></body></html>',
      body: 'The content of the email.\n-- \nShop for Ada',
    },
  })
  const inGerman = await own({
    template_data: { name: 'Ada' },
    locale: 'de-CH',
    content: { html_body: '<b>Grüezi</b>' },
  })
  expect(inGerman.body).toMatchObject({ locale: 'de', rendered: { body: 'Grüezi\n\nTschüss, Ada' } })
  const unsaved = await own({ layout: { html_body: '<i>{{ content }}</i>' } })
  expect(unsaved.body).toMatchObject({
    version: null,
    rendered: { html_body: '<i><p>The content of the email.</p></i>' },
  })
  // Every template has the links, so a layout may use them too.
  const linked = await own({ layout: { html_body: '{{ content }}<i>{{ unsubscribe_url }}</i>' } })
  expect(linked.body.rendered.html_body).toContain('<i>https://example.com/u/preview</i>')
  expectProblem(await own({}), 422, 'template_variable_missing')
  expectProblem(await own({ layout: { html_body: 'none' } }), 422, 'validation_failed')
})

test('a layout in use is not deleted, and the refusal names its users', async () => {
  const layout_id = await create()
  const email = { subject: 'S', body: 'B', layout_id }
  const body = event({ subject: 'S', body: 'B' })
  const { event_key } = (await call('POST', events(), { body })).body
  const refused = async (name: string) => {
    const answer = await call('DELETE', of(layout_id))
    expectProblem(answer, 409, 'layout_in_use')
    expect(answer.body.detail).toContain(name)
  }
  const draft = { name: 'Laid', allowed_channels: ['email'] }
  const save = (fields: object) => call('PUT', `${events()}/${event_key}`, { body: { ...draft, ...fields } })
  const plain = { subject: 'S', body: 'B' }
  await save({ templates: { email } })
  await refused(event_key)
  await save({ templates: { email: plain }, translations: { de: { email } } })
  await refused(event_key)
  await call('POST', `${events()}/${event_key}/publish`)
  await save({ templates: { email: plain }, translations: {} })
  await refused(event_key)
  await call('POST', `${events()}/${event_key}/publish`)
  const { template_id } = (
    await call('POST', '/api/v1/templates', {
      body: { name: 'T', templates: { email: plain }, translations: { de: { email } } },
    })
  ).body
  await refused(template_id)
  // The template belongs to all applications, so its layout must, too.
  const own = await call('PUT', of(layout_id), { body: { ...brand, application_id: env.applicationId } })
  expectProblem(own, 409, 'layout_in_use')
  await call('DELETE', `/api/v1/templates/${template_id}`)
  expect((await call('DELETE', of(layout_id))).status).toBe(204)
  const restored = await call('POST', `${events()}/${event_key}/versions/2/restore`)
  expectProblem(restored, 422, 'validation_failed')
})

test('a layout that only events of a deleted application use is deleted once no digest of it waits', async () => {
  const layout_id = await create()
  const { applicationId } = await addApplication(env)
  const path = `/api/v1/applications/${applicationId}`
  const body = event({ subject: 'S', body: 'B', layout_id })
  expect((await call('POST', `${path}/events`, { body })).status).toBe(201)
  const digest = newId('dig')
  await env.admin.query(
    `insert into dispatch.digests (id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined,
       closes_at, due_at)
     values ($1, $2, $3, 'live', 'email', 'transactional', $4, $1, now(), now(), 5, 1, now() + interval '1 day', now() + interval '1 day')`,
    [digest, env.tenantId, applicationId, body.event_key],
  )
  expect((await call('DELETE', path)).status).toBe(204)
  await eventually(async () => {
    const ended = 'select from dispatch.ended_applications where application_id = $1'
    expect((await env.admin.query(ended, [applicationId])).rowCount).toBe(1)
  })
  expectProblem(await call('DELETE', of(layout_id)), 409, 'layout_in_use')
  await env.admin.query('delete from dispatch.digests where id = $1', [digest])
  expect((await call('DELETE', of(layout_id))).status).toBe(204)
})

test('a layout that is deleted while it gets a user is deleted, or used', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () =>
      eventually(async () => {
        const layout_id = await create()
        const [used, deleted] = await Promise.all([
          call('POST', '/api/v1/templates', { body: { name: 'T', templates: { email: { ...content0, layout_id } } } }),
          call('DELETE', of(layout_id)),
        ])
        expect([used.status, deleted.status]).not.toContain(503)
        return [used.status, deleted.status].join(' ')
      }),
    ),
  )
  for (const outcome of outcomes) expect(['201 409', '422 204']).toContain(outcome)
})
const content0 = { subject: 'S', body: 'B' }

test('a layout of another tenant, of another application or of nobody is none', async () => {
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['events:manage'] })
  const theirs = (await env.api('POST', path, { token: stranger, body: brand })).body.layout_id
  const other = (await addApplication(env)).applicationId
  const others = await create({ ...brand, application_id: other })
  for (const layout_id of [theirs, others, newId('lay')]) {
    const email = { ...content0, layout_id }
    const refusals = [
      [await post(env, { channel: 'email', recipient: freshAddress(), ...email }), 'layout_id'],
      [await call('POST', events(), { body: event(email) }), 'templates.email.layout_id'],
      [
        await call('POST', '/api/v1/templates', { body: { name: 'T', templates: { email } } }),
        'templates.email.layout_id',
      ],
    ] as const
    for (const [answer, field] of refusals) {
      expectProblem(answer, 422, 'validation_failed')
      expect(answer.body.errors[0].path).toBe(field)
    }
  }
  for (const method of ['GET', 'DELETE']) expectProblem(await call(method, of(theirs)), 404, 'not_found')
  expectProblem(await call('PUT', of(theirs), { body: brand }), 404, 'not_found')
  expect((await call('GET', path)).body.items.map((one: { layout_id: string }) => one.layout_id)).not.toContain(theirs)
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'providers:manage'] })
  expectProblem(await env.api('GET', path, { token: mayNot }), 403, 'permission_denied')
  expectProblem(await env.api('POST', path, { body: brand }), 403, 'permission_denied')
})

const deep = `${'{% if a %}'.repeat(40)}x${'{% endif %}'.repeat(40)}`

test.each<[string, object, string]>([
  ['no content', { html_body: '<p>Shop</p>' }, 'html_body'],
  ['its content twice', { html_body: '{{ content }}{{content}}' }, 'html_body'],
  ['its content in a condition', { html_body: '{% if vip %}{{ content }}{% endif %}' }, 'html_body'],
  ['its content in a loop', { html_body: '{% for i in (1..9) %}{{ content }}{% endfor %}' }, 'html_body'],
  ['its content in a comment', { html_body: '{% comment %}{{ content }}{% endcomment %}' }, 'html_body'],
  ['its content in a filter', { html_body: '{{ content | upcase }}' }, 'html_body'],
  ['its content in a tag as well', { html_body: '{{ content }}{% if content %}x{% endif %}' }, 'html_body'],
  ['a text without content', { body: 'Shop' }, 'body'],
  ['a layout', { layout_id: newId('lay') }, 'layout_id'],
  ['the tag of a layout', { html_body: '{% layout "x" %}{{ content }}' }, 'html_body'],
  ['40 blocks in each other', { html_body: `{{ content }}${deep}` }, 'html_body'],
  ['200,001 characters', { html_body: `{{ content }}${'x'.repeat(200_001)}` }, 'html_body'],
  ['no HTML', { html_body: undefined }, 'html_body'],
  ['no name', { name: ' ' }, 'name'],
  ['an unknown field', { tenant_id: newId('ten') }, 'tenant_id'],
  ['a translation without content', { translations: { de: { html_body: 'x' } } }, 'translations.de.html_body'],
  ['a translation into nothing', { translations: { '!': german } }, 'translations.!'],
])('a layout with %s is 422 naming the field, and is not stored', async (_what, fields, field) => {
  const count = async () => (await env.sql('dispatch').query('select from dispatch.layouts')).rowCount
  const before = await count()
  const answer = await call('POST', path, { body: { ...brand, ...fields } })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(field)
  expect(await count()).toBe(before)
})

test('a translation with a variable of its own, and more translations than there may be, are refused', async () => {
  const own = { de: { html_body: '{{ content }}{{ surname }}' } }
  expectProblem(
    await call('POST', path, { body: { ...brand, translations: own } }),
    422,
    'translation_variable_unknown',
  )
  const many = Object.fromEntries(Array.from({ length: 61 }, (_, at) => [`en-x-${at}a`, german]))
  expectProblem(await call('POST', path, { body: { ...brand, translations: many } }), 409, 'translation_limit_reached')
})

test.each<[string, object, string]>([
  ['of an event', { event_key: 'order.shipped', data: { name: 'A', order: 'B' } }, 'layout_id'],
  ['of an SMS', { channel: 'sms', recipient: '+15551230001', body: 'x' }, 'layout_id'],
  ['that is no id', { ...content0, layout_id: 'brand' }, 'layout_id'],
])('the layout %s in a request is 422', async (_what, fields, field) => {
  const answer = await post(env, {
    ...{ channel: 'email', recipient: freshAddress(), layout_id: newId('lay') },
    ...fields,
  })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(field)
})

test('a send that lacks a variable of its layout, or whose layout never ends, is refused', async () => {
  const layout_id = await create()
  const send = (layout: string) =>
    post(env, { channel: 'email', recipient: freshAddress(), ...content0, layout_id: layout })
  const missing = await send(layout_id)
  expectProblem(missing, 422, 'template_variable_missing')
  expect(missing.body.errors).toEqual([{ path: 'template_data.name', message: 'is required by the layout' }])
  const endless = '{{ content }}{% for i in (1..1000000) %}{% for j in (1..1000000) %}{{ j }}{% endfor %}{% endfor %}'
  const slow = await send(await create({ name: 'Endless', html_body: endless }))
  expectProblem(slow, 422, 'validation_failed')
  expect(slow.body.errors[0].path).toBe('layout_id')
})

test('a change of a layout is sent within a second', async () => {
  const layout_id = await create({ name: 'L', html_body: '<p>One {{ content }}</p>' })
  const send = () => arrived({ subject: 'S', html_body: '<b>x</b>', layout_id })
  expect((await send()).html).toBe('<p>One <b>x</b></p>')
  await call('PUT', of(layout_id), { body: { name: 'L', html_body: '<p>Two {{ content }}</p>' } })
  await eventually(async () => expect((await send()).html).toBe('<p>Two <b>x</b></p>'))
})

test("a translation keeps its layout when a translator's file is saved", async () => {
  const [ofBase, ofGerman] = [await create(), await create()]
  const email = { subject: 'S', html_body: '<p>Hi {{ name }}' }
  const body = {
    ...event({ ...email, layout_id: ofBase, body: 'Hi {{ name }}' }),
    translations: { de: { email: { ...email, layout_id: ofGerman } } },
  }
  const { templates, translations } = body
  const stored = (await call('POST', '/api/v1/templates', { body: { name: 'Laid', templates, translations } })).body
  const made = await call('POST', events(), { body })
  for (const at of [`/api/v1/templates/${stored.template_id}`, `${events()}/${made.body.event_key}`]) {
    const file = (await call('GET', `${at}/translations/de`)).body
    const saved = await call('PUT', `${at}/translations/de`, { body: file })
    expect([saved.status, saved.body]).toEqual([200, file])
    const read = (await call('GET', at)).body
    expect((read.draft ?? read).translations).toEqual(translations)
  }
})
