import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { act, call, create, env, listPath, of, record, save, sms } from './stack.ts'

const whatsapp = {
  template_name: 'order_update',
  language: 'en_US',
  category: 'utility',
  parameters: ['{{ name }}', 'A-1'],
}

const untilTemplates = () =>
  eventually(async () => {
    const { rows } = await env.admin.query(`select from dispatch.carrier_templates where name = 'order_update'`)
    expect(rows.length).toBeGreaterThan(0)
  })

test('a WhatsApp template of another category than the approved one cannot be published', async () => {
  await untilTemplates()
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

/** An event with the template `invoice_ready`, whose header, body and button have placeholders. */
const invoice = (fields: object) => ({
  allowed_channels: ['whatsapp'],
  templates: {
    whatsapp: {
      ...{
        template_name: 'invoice_ready',
        language: 'en_US',
        category: 'utility',
        parameters: ['{{ name }}', '9 EUR'],
      },
      ...{ header: { type: 'text', value: '{{ id }}' }, buttons: [{ index: 0, type: 'url', value: '{{ id }}' }] },
      ...fields,
    },
  },
})

test.each<[string, object, string[]]>([
  ['too few texts', { parameters: [] }, ['parameters.0', 'parameters.1']],
  ['a text too many', { parameters: ['a', 'b', 'c'] }, ['parameters.2']],
  ['names in place of numbers', { parameters: { name: 'a' } }, ['parameters']],
  ['no header', { header: undefined }, ['header']],
  ['a file as its header', { header: { type: 'image', value: 'https://shop.example/a.png' } }, ['header.type']],
  ['a name that the header has not', { header: { type: 'text', value: 'a', name: 'id' } }, ['header.name']],
  ['no value for its button', { buttons: [] }, ['buttons']],
  [
    'a value for a button without a placeholder',
    {
      buttons: [
        { index: 0, type: 'url', value: 'a' },
        { index: 1, type: 'url', value: 'b' },
      ],
    },
    ['buttons.1.index'],
  ],
  ['another type of button', { buttons: [{ index: 0, type: 'copy_code', value: 'a' }] }, ['buttons.0.type']],
])(
  'an approved WhatsApp template with %s is refused as a draft and when it is published',
  async (_what, fields, paths) => {
    await untilTemplates()
    const found = paths.map((path) => `templates.whatsapp.${path}`)
    const { event_key: key } = await create(invoice({}))
    for (const refused of [
      await call('PUT', of(key), { body: { name: 'Invoice', ...invoice(fields) } }),
      await call('POST', listPath(), { body: record(invoice(fields)) }),
      await call('POST', listPath(), { body: record({ ...invoice(fields), status: 'published' }) }),
      await call('POST', '/api/v1/templates', { body: { name: 'x', templates: invoice(fields).templates } }),
    ]) {
      expectProblem(refused, 422, 'validation_failed')
      expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual(found)
    }
    // Saved before the account had the template, it is refused when it is published.
    await env.admin.query(`update dispatch.events set templates = $2 where event_key = $1`, [
      key,
      JSON.stringify(invoice(fields).templates),
    ])
    const refused = await call('POST', of(key, '/publish'))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors.map((one: { path: string }) => one.path)).toEqual(found)
  },
)

test('a preview shows the WhatsApp message as a phone does, with header, footer and buttons', async () => {
  await untilTemplates()
  const { event_key: key } = await create(invoice({}))
  const { body } = await call('POST', of(key, '/preview'), { body: { data: { name: 'Ada', id: '17' } } })
  expect(body.whatsapp_message).toEqual({
    header: { format: 'text', text: 'Invoice 17' },
    body: 'Hi *Ada*, your invoice over 9 EUR is ready.',
    footer: 'Demo Shop',
    buttons: [
      { type: 'url', text: 'Open the invoice', url: 'https://shop.example/invoices/17' },
      { type: 'quick_reply', text: 'Stop', url: null },
    ],
  })
  const listed = (await call('GET', '/api/v1/whatsapp/templates?limit=100')).body.items
  expect(listed.find(({ name }: { name: string }) => name === 'invoice_ready').placeholders).toEqual({
    header: { type: 'text', name: null },
    body: ['1', '2'],
    buttons: [{ index: 0, type: 'url', text: 'Open the invoice' }],
  })
})

test.each<[string, object, string]>([
  ['no channel', { allowed_channels: [] }, 'allowed_channels'],
  ['a channel without template', { allowed_channels: ['sms', 'email'] }, 'templates.email'],
])('an event that allows %s is kept as a draft and cannot be published', async (_what, fields, path) => {
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
  ['templates of an unknown channel', { templates: { fax: {} } }, 'templates.fax'],
  ['a text that does not parse', { templates: sms('Hi {{ name') }, 'templates.sms.body'],
  ['a text that is blank', { templates: sms(' \n ') }, 'templates.sms.body'],
  ['a fixed text that no SMS can be', { templates: sms('x'.repeat(1601)) }, 'templates.sms.body'],
  ['a blank subject', { templates: { email: { subject: ' ', body: 'x' } } }, 'templates.email.subject'],
  ['a long subject', { templates: { email: { subject: 'x'.repeat(999), body: 'x' } } }, 'templates.email.subject'],
  [
    'an email that is an image alone',
    { templates: { email: { subject: 'x', html_body: '<img src="cid:logo">' } } },
    'templates.email.html_body',
  ],
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
  'a key such as %s in a body pollutes no prototype',
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
