import { expect, test } from '@jest/globals'
import { type ApiRequest, type ApiResponse, eventually } from '@notify/dev-env'
import { asOperator, expectProblem, post, untilState } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)
const eventsPath = () => `/api/v1/applications/${env.applicationId}/events`

const sms = (body: string) => ({ sms: { body } })
const templates = {
  ...sms('{{ n | number }} {{ n | plural: one: "order", other: "orders" }} for {{ name }}'),
  email: { subject: 'Orders', body: 'Hello {{ name }}', html_body: '<p>Hello {{ name }}</p>' },
}
const translations = {
  de: sms('{{ n | number }} {{ n | plural: one: "Bestellung", other: "Bestellungen" }} für {{ name }}'),
  pl: sms('{{ n | plural: one: "# zamówienie", few: "# zamówienia", many: "# zamówień", other: "# zamówienia" }}'),
  'ar-EG': { email: { subject: 'طلبات', body: 'مرحبا {{ name }}', html_body: '<p>مرحبا {{ name }}</p>' } },
}
const data = { name: 'Ada', n: 1234 }

let serial = 0
async function createEvent(fields: object = {}): Promise<string> {
  const event_key = `languages.${++serial}`
  const body = { event_key, name: 'Orders', allowed_channels: ['sms', 'email'], templates, translations, ...fields }
  const answer = await call('POST', eventsPath(), { body: { status: 'published', ...body } })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return event_key
}

async function accepted(answer: ApiResponse): Promise<string> {
  expect([answer.status, answer.body.detail]).toEqual([202, undefined])
  return answer.body.notification_id
}

async function smsTo(event_key: string, fields: object = {}) {
  const phone = freshPhone()
  const id = await accepted(await post(env, { channel: 'sms', recipient: phone, event_key, data, ...fields }))
  const text = await eventually(async () => {
    const [message] = await env.messages({ to: phone })
    expect(message).toBeDefined()
    return message!.text
  })
  return { id, text }
}

test('an SMS is in the first language of the lookup, with numbers and plurals of that language', async () => {
  const key = await createEvent()
  const inGerman = await smsTo(key, { locale: 'de-at' })
  expect(inGerman.text).toBe('1\u00a0234 Bestellungen für Ada')
  await untilState(env, inGerman.id, { locale: 'de', requested_locale: 'de-AT' })
  expect((await smsTo(key, { locale: 'pl', data: { ...data, n: 3 } })).text).toBe('3 zamówienia')
  // Nothing of another language: the text and its numbers are in English.
  const inBase = await smsTo(key, { locale: 'fr-FR' })
  expect(inBase.text).toBe('1,234 orders for Ada')
  await untilState(env, inBase.id, { locale: null, requested_locale: 'fr-FR' })
  const plain = await smsTo(key)
  expect(plain.text).toBe('1,234 orders for Ada')
  await untilState(env, plain.id, { locale: null, requested_locale: null })
})

test("the user's language counts after that of the request, and its variety writes the numbers", async () => {
  const key = await createEvent()
  const userId = crypto.randomUUID()
  const phone = freshPhone()
  await env.api('PUT', `/api/v1/users/${userId}`, { body: { phone, locale: 'de-CH' } })
  const textsTo = async (fields: object) => {
    const body = { channel: 'sms', recipient: { user_id: userId }, event_key: key, data, ...fields }
    const id = await accepted(await post(env, body))
    await untilState(env, id, { locale: 'de', requested_locale: (fields as { locale?: string }).locale ?? null })
  }
  await textsTo({})
  await textsTo({ locale: 'it' })
  await eventually(async () =>
    expect((await env.messages({ to: phone })).map(({ text }) => text)).toEqual([
      "1'234 Bestellungen für Ada",
      "1'234 Bestellungen für Ada",
    ]),
  )
})

const [html, topic] = [{ html_body: '{{ content }}' }, { name: 'Twice' }]
test.each<[string, string, object, object]>([
  ['events', 'applications/:id/events', sms('x'), { templates: sms('x'), event_key: 'languages.twice' }],
  ['templates', 'templates', sms('x'), { templates: sms('x') }],
  ['layouts', 'layouts', html, html],
  ['topics', 'applications/:id/topics', topic, { topic_key: 'twice', channels: ['sms'] }],
])('a language that %s name twice is 422, so that no text of it is lost', async (_kind, path, texts, fields) => {
  const body = { name: 'Twice', ...fields, translations: { 'pt-br': texts, 'pt-BR': texts } }
  const answer = await call('POST', `/api/v1/${path.replace(':id', env.applicationId)}`, { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors).toEqual([{ path: 'translations.pt-BR', message: 'repeats pt-BR' }])
})

test("a translation of a digest may use every variable of digests, also from a translator's file", async () => {
  const digest = { window: { seconds: 60 } }
  const key = await createEvent({
    ...{ allowed_channels: ['sms'], templates: sms('{{ total }} orders'), digest },
    translations: { de: sms('{{ total }} Bestellungen, {{ more }} weitere') },
  })
  const path = `${eventsPath()}/${key}/translations/de`
  const read = (await call('GET', path)).body
  const answer = await call('PUT', path, { body: read })
  expect([answer.status, answer.body]).toEqual([200, read])
})

test('an email states its language and direction; a channel without a translation is sent in the base', async () => {
  const key = await createEvent()
  const recipient = `${crypto.randomUUID()}@example.com`
  await accepted(await post(env, { channel: 'email', recipient, event_key: key, data, locale: 'ar-EG' }))
  await eventually(async () => {
    const [message] = await env.messages({ to: recipient })
    expect(message).toMatchObject({
      ...{ subject: 'طلبات', html: '<div lang="ar-EG" dir="rtl"><p>مرحبا Ada</p></div>' },
      headers: { 'Content-Language': 'ar-EG' },
    })
  })
  expect((await smsTo(key, { locale: 'ar-EG' })).text).toBe('1,234 orders for Ada')
})

test('the default of the application is used next, and is the language of the base', async () => {
  const key = await createEvent()
  const inSwiss = await createEvent({ translations: { pl: translations.pl } })
  const path = `/api/v1/applications/${env.applicationId}`
  const settings = { default_locale: 'DE-ch', default_time_zone: 'Asia/Tokyo' }
  expect((await call('PATCH', path, { body: settings })).body).toMatchObject({
    default_locale: 'de-CH',
    default_time_zone: 'Asia/Tokyo',
  })
  await eventually(async () => expect((await smsTo(key, { locale: 'fr' })).text).toContain('Bestellungen für Ada'))
  const body = { channel: 'sms', template_data: { at: '2026-11-21T22:30:00Z' } }
  const phone = freshPhone()
  await accepted(
    await post(env, {
      ...body,
      recipient: phone,
      body: '{{ at | date_time: "short" }}',
      template_data: body.template_data,
    }),
  )
  await eventually(async () => expect((await env.messages({ to: phone }))[0]?.text).toBe('22.11.26, 07:30'))
  // The base is in the language that the request asks for: the user's own comes after it.
  const user = crypto.randomUUID()
  await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: freshPhone(), locale: 'pl' } })
  for (const locale of ['de-CH', 'de']) {
    const recipient = { user_id: user }
    const sent = { channel: 'sms', recipient, event_key: inSwiss, data, locale }
    await untilState(env, await accepted(await post(env, sent)), { locale: 'de-CH', requested_locale: locale })
  }
  const removed = await call('PATCH', path, { body: { default_locale: null, default_time_zone: null } })
  expect(removed.body).toMatchObject({ default_locale: null, default_time_zone: null })
  await eventually(async () => expect((await smsTo(key, { locale: 'fr' })).text).toBe('1,234 orders for Ada'))
  for (const [field, value] of [
    ['default_locale', 'de_DE'],
    ['default_time_zone', 'Mars/Base'],
  ] as const) {
    const refused = await call('PATCH', path, { body: { [field]: value } })
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors[0].path).toBe(field)
  }
})

test.each([
  ['locale', 'de_DE'],
  ['locale', 'x'],
  ['locale', ''],
  ['locale', 'de-'],
  ['locale', 7],
  ['locale', 'x'.repeat(40)],
  ['time_zone', 'Mars/Base'],
  ['time_zone', ''],
])('%s %j is 422 and names the field, alone and in a batch', async (field, value) => {
  const request = { channel: 'sms', recipient: freshPhone(), body: 'Hi', [field]: value }
  const refused = await post(env, request)
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors[0].path).toBe(field)
  const batch = await env.api('POST', '/api/v1/notifications/batch', { body: { requests: [request] } })
  expect(batch.body.results).toMatchObject([{ error: { code: 'validation_failed', errors: [{ path: field }] } }])
})

test('a translation may use only what its template uses', async () => {
  const key = await createEvent({ status: 'draft', translations: { de: sms('{{ name }} {{ surname }} {{ n }}') } })
  const refused = await call('POST', `${eventsPath()}/${key}/publish`)
  expectProblem(refused, 422, 'translation_variable_unknown')
  expect(refused.body.errors).toMatchObject([{ path: 'translations.de.sms' }])
  expect(refused.body.detail).toContain('surname')
  const other = await call('PUT', `${eventsPath()}/${key}`, {
    body: {
      name: 'Orders',
      allowed_channels: ['sms'],
      templates: sms('{{ name }}'),
      translations: { de: { email: templates.email } },
    },
  })
  expect(other.status).toBe(200)
  expectProblem(await call('POST', `${eventsPath()}/${key}/publish`), 422, 'validation_failed')
})

test('a translation that cannot be rendered is refused and named by its language', async () => {
  const body = {
    event_key: 'languages.bad',
    name: 'Orders',
    templates,
    translations: { 'PT-br': sms('{{ n | plural: one: "x" }}') },
  }
  const refused = await call('POST', eventsPath(), { body })
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors[0].path).toBe('translations.pt-BR.sms.body')
})

test('an event has at most 60 translations', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 61 }, (_, n) => [`de-x-${String(n).padStart(3, '0')}`, sms('x')]),
  )
  const body = { event_key: 'languages.many', name: 'Orders', templates, translations: many }
  expectProblem(await call('POST', eventsPath(), { body }), 409, 'translation_limit_reached')
})

test('the translations of an event are at most 250,000 characters together', async () => {
  const key = await createEvent({ translations: {} })
  const translate = (locale: string) =>
    call('PUT', `${eventsPath()}/${key}/translations/${locale}`, {
      body: {
        texts: { 'email.subject': 'x', 'email.body': 'x'.repeat(19_000), 'email.html_body': 'x'.repeat(150_000) },
      },
    })
  expect((await translate('de')).status).toBe(200)
  expectProblem(await translate('fr'), 409, 'translation_limit_reached')
})

const languages = ['de', 'fr', 'es', 'pt', 'pl', 'ar', 'hi', 'ja']
const longEmail = (letter: string) => ({
  email: { subject: 'Orders', body: 'Orders', html_body: letter.repeat(30_000) },
})

test('an event that was translated into one long language after the other is saved whole', async () => {
  const base = longEmail('x')
  const key = await createEvent({
    ...{ status: 'draft', allowed_channels: ['email'] },
    ...{ templates: base, translations: {} },
  })
  const path = `${eventsPath()}/${key}`
  const texts = Object.fromEntries(Object.entries(base.email).map(([field, text]) => [`email.${field}`, text]))
  for (const locale of languages) {
    const translated = await call('PUT', `${path}/translations/${locale}`, { body: { texts } })
    expect([translated.status, translated.body.detail]).toEqual([200, undefined])
  }
  const read = (await call('GET', path)).body
  expect(Object.keys(read.translations).sort()).toEqual(languages.toSorted())
  const body = {
    ...{ name: 'Renamed', allowed_channels: read.allowed_channels },
    ...{ templates: read.templates, translations: read.translations },
  }
  const saved = await call('PUT', path, { body })
  expect([saved.status, saved.body.detail]).toEqual([200, undefined])
  expect(saved.body).toMatchObject(body)
})

/** Of three bytes. */
const wideLetter = '語'
const wideEmail = longEmail(wideLetter)
const wideLayout = { html_body: `{{ content }}${wideLetter.repeat(30_000)}` }

test.each<[string, () => string, object, object, object]>([
  ['an event', eventsPath, { event_key: 'languages.long' }, { templates: wideEmail }, wideEmail],
  ['a stored template', () => '/api/v1/templates', {}, { templates: wideEmail }, wideEmail],
  ['a layout', () => '/api/v1/layouts', {}, wideLayout, wideLayout],
])(
  '%s is created and replaced with its longest translations, which do not make room for a longer base',
  async (_what, pathOf, ids, base, texts) => {
    const content = { ...base, translations: Object.fromEntries(languages.map((locale) => [locale, texts])) }
    const made = await call('POST', pathOf(), { body: { ...ids, name: 'Long', ...content } })
    expect([made.status, made.body.detail]).toEqual([201, undefined])
    const { event_key, template_id, layout_id } = made.body
    const id = event_key ?? template_id ?? layout_id
    const replace = (name: string) => call('PUT', `${pathOf()}/${id}`, { body: { name, ...content } })
    const replaced = await replace('Renamed')
    expect([replaced.status, replaced.body.detail]).toEqual([200, undefined])
    expect(replaced.body).toMatchObject({ name: 'Renamed', ...content })
    await eventually(async () => {
      const log = await call('GET', `/api/v1/audit-log?resource_id=${id}`)
      const names = log.body.items.map(({ after }: { after: { name?: string } }) => after.name)
      expect(names).toEqual(expect.arrayContaining(['Renamed', 'Long']))
    })
    const refused = await replace('x'.repeat(200_000))
    expectProblem(refused, 413, 'payload_too_large')
    expect(refused.body.detail).toBe('The body may have at most 262144 bytes beside its translations')
  },
)

test('a translator reads the texts, sends them back translated, and sees what is missing and outdated', async () => {
  const key = await createEvent({ translations: {} })
  const path = `${eventsPath()}/${key}`
  const at = `${path}/translations/pt-br`
  expectProblem(await call('GET', at), 404, 'not_found')
  expectProblem(await call('GET', `${path}/translations/pt_BR`), 422, 'validation_failed')
  const { based_on, texts } = (await call('GET', `${path}/translations`)).body
  expect(texts).toEqual({
    'sms.body': templates.sms.body,
    'email.subject': 'Orders',
    'email.body': 'Hello {{ name }}',
    'email.html_body': '<p>Hello {{ name }}</p>',
  })
  const partial = await call('PUT', at, { body: { texts: { 'email.subject': 'Pedidos', 'email.footer': 'x' } } })
  expectProblem(partial, 422, 'validation_failed')
  expect(partial.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    'texts.email.body',
    'texts.email.html_body',
    'texts.email.footer',
  ])
  const file = { based_on, texts: { 'sms.body': '{{ n }} pedidos' } }
  expect((await call('PUT', at, { body: file })).status).toBe(200)
  const read = (await call('GET', at)).body
  expect(read.texts).toEqual(file.texts)
  expect((await call('PUT', at, { body: read })).body).toEqual(read)
  expect((await call('GET', `${path}/translations`)).body.translations).toEqual([
    { locale: 'pt-BR', channels: ['sms'], missing_channels: ['email'], outdated_channels: [] },
  ])
  const published = await call('POST', `${path}/publish`)
  expect(published.body.warnings).toEqual([{ locale: 'pt-BR', channel: 'email', warning: 'missing' }])
  await eventually(async () => expect((await smsTo(key, { locale: 'pt-BR' })).text).toBe('1234 pedidos'))
  // A PUT without translations keeps them.
  const changed = { name: 'Orders', allowed_channels: ['sms'], templates: sms('Now {{ n }} orders') }
  expect((await call('PUT', path, { body: changed })).body.draft.translations).toHaveProperty('pt-BR')
  expect((await call('GET', `${path}/translations`)).body.translations).toMatchObject([{ outdated_channels: ['sms'] }])
  // It was made from the former text, and says so.
  await call('PUT', at, { body: read })
  expect((await call('GET', `${path}/translations`)).body.translations).toMatchObject([{ outdated_channels: ['sms'] }])
  await call('PUT', at, { body: { texts: { 'sms.body': 'Agora {{ n }} pedidos' } } })
  expect((await call('GET', `${path}/translations`)).body.translations).toMatchObject([{ outdated_channels: [] }])
  expectProblem(
    await call('PUT', at, { body: { texts: { 'sms.body': '{{ other }}' } } }),
    422,
    'translation_variable_unknown',
  )
  await call('PUT', at, { body: { texts: {} } })
  expect((await call('GET', `${path}/translations`)).body.translations).toEqual([])
})

test('a preview in a locale shows each channel in its translation, and how an SMS is divided', async () => {
  const key = await createEvent()
  const preview = (fields: object) => call('POST', `${eventsPath()}/${key}/preview`, { body: { data, ...fields } })
  expect((await preview({ locale: 'de' })).body).toMatchObject({
    rendered: { ...sms('1.234 Bestellungen für Ada'), email: { subject: 'Orders' } },
    locales: { sms: 'de', email: null },
    sms_segments: { encoding: 'GSM-7', segments: 1, outside: [] },
  })
  const inPolish = await preview({ locale: 'pl-PL', channel: 'sms', data: { ...data, n: 5 } })
  expect(inPolish.body).toMatchObject({
    rendered: sms('5 zamówień'),
    locales: { sms: 'pl' },
    sms_segments: { encoding: 'UCS-2', segments: 1, outside: ['ó', 'ń'] },
  })
  // Templates of the request are taken to be in the locale.
  const given = { templates: sms('{{ at | date_time: "short" }}'), data: { at: '2026-11-21T22:30:00Z' } }
  const unsaved = await preview({ ...given, locale: 'de', time_zone: 'Asia/Tokyo' })
  expect(unsaved.body.rendered).toEqual(sms('22.11.26, 07:30'))
})
