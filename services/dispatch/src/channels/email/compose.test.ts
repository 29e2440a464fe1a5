import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type LayoutTexts, newId } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { startRenderer, untilRenders } from '@notify/test-kit/renderer'
import { composeEmail } from './compose.ts'

type Request = Parameters<typeof composeEmail>[0]
type Template = Parameters<typeof composeEmail>[1]

const renderer = startRenderer()
beforeAll(() => untilRenders(renderer))
afterAll(() => renderer.close())
const tenant = newId('ten')
const compose = (request: Request, template?: Template, layout?: LayoutTexts) =>
  composeEmail(request, template, (texts, variables) => renderer.fill(tenant, texts, variables), {
    findLayout: async () => layout!,
    inTurn: (work) => renderer.inTurn(tenant, work),
  })

const recipient = 'ada@example.com'
const content = { recipient, subject: 'Hi {{name}}', body: 'Dear {{name}} <3', html_body: '<p>Dear {{name}}</p>' }
const template = {
  subject: 'Order {{order}} for {{name}}',
  body: 'Hi {{name}}, {{order}} is on its way.',
  html_body: '<p>Hi {{name}}, <b>{{order}}</b> is on its way.</p>',
}
const event = { recipient, event_key: 'order.shipped', data: { name: 'Ada <3', order: 'A&1' } }
const stored = { recipient, template_data: event.data }

async function refusalOf(
  request: Request,
  used?: Template,
): Promise<[code: string, path: string | undefined, message: string]> {
  try {
    await compose(request, used)
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.errors?.[0]?.path, error.message]
    throw error
  }
  throw new Error('it was composed')
}

test('content goes out as it was written', async () => {
  expect(await compose(content)).toEqual({
    to: recipient,
    subject: 'Hi {{name}}',
    text: 'Dear {{name}} <3',
    html: '<p>Dear {{name}}</p>',
  })
})

test('content is filled with template_data when there is some, HTML escaped', async () => {
  expect(await compose({ ...content, template_data: { name: 'Zoë & "co"' } })).toEqual({
    to: recipient,
    subject: 'Hi Zoë & "co"',
    text: 'Dear Zoë & "co" <3',
    html: '<p>Dear Zoë &amp; &#34;co&#34;</p>',
  })
})

test.each([
  ['an event', event],
  ['a stored template', stored],
])('the template of %s is filled, HTML escaped', async (_what, request) => {
  expect(await compose(request, template)).toEqual({
    to: recipient,
    subject: 'Order A&1 for Ada <3',
    text: 'Hi Ada <3, A&1 is on its way.',
    html: '<p>Hi Ada &lt;3, <b>A&amp;1</b> is on its way.</p>',
  })
})

test('absent values are left out', async () => {
  expect(await compose({ recipient, subject: 'S', body: 'B' })).toEqual({ to: recipient, subject: 'S', text: 'B' })
  expect(await compose({ recipient, subject: 'S', body: 'B', html_body: ' ' })).not.toHaveProperty('html')
  expect(await compose({ ...event, data: undefined }, { subject: 'S', body: 'B' })).not.toHaveProperty('html')
})

test('a recipient has an address and may have a name; the domain is written in ASCII', async () => {
  const to = async (recipient: Request['recipient']) => {
    const { to, to_name } = await compose({ ...content, recipient })
    return [to, to_name]
  }
  expect(await to({ email: 'ada@Bücher.example', name: ' Łukasz, "the" shop ' })).toEqual([
    'ada@xn--bcher-kva.example',
    'Łukasz, "the" shop',
  ])
  expect(await to({ email: recipient })).toEqual([recipient, undefined])
  expect(await to({ email: recipient, name: '  ' })).toEqual([recipient, undefined])
})

test('a sender of its own is read like every address', async () => {
  expect(await compose({ ...content, from: 'news@BÜCHER.example' })).toMatchObject({
    from: 'news@xn--bcher-kva.example',
  })
  for (const from of [
    'News <news@example.com>',
    'news@example.com\r\nBcc: all@example.com',
    'news',
    'zoë@example.com',
    '',
  ]) {
    expect((await refusalOf({ ...content, from })).slice(0, 2)).toEqual(['validation_failed', 'from'])
  }
})

const injection = 'Ada\r\nBcc: all@example.com'

test.each<[string, Request['recipient'], string]>([
  ['nobody', {}, 'recipient.email'],
  ['a number', { email: 5 }, 'recipient.email'],
  ['a list', { email: [recipient] }, 'recipient.email'],
  ['null', { email: null }, 'recipient.email'],
  ['an empty text', '', 'recipient'],
  ['a phone number', '+15551230001', 'recipient'],
  ['letters outside of ASCII', 'zoë@example.com', 'recipient'],
  ['10,000 characters', `${'a'.repeat(10_000)}@example.com`, 'recipient'],
  ['an injected header', `${recipient}\r\nBcc: all@example.com`, 'recipient'],
  ['a name with an injected header', { email: recipient, name: injection }, 'recipient.name'],
  ['a name with a control character', { email: recipient, name: 'A\u0007da' }, 'recipient.name'],
  ['a name with a line separator', { email: recipient, name: 'A\u2028da' }, 'recipient.name'],
  ['a name that is none', { email: recipient, name: { first: 'Ada' } }, 'recipient.name'],
  ['a name of 201 characters', { email: recipient, name: 'a'.repeat(201) }, 'recipient.name'],
])('a recipient that is %s is refused, naming the field', async (_what, bad, path) => {
  const [code, named, message] = await refusalOf({ ...content, recipient: bad })
  expect([code, named]).toEqual(['invalid_recipient', path])
  expect(message.length).toBeLessThan(300)
})

test('unicode before the @ is refused with the reason', async () => {
  expect((await refusalOf({ ...content, recipient: 'zoë@example.com' }))[2]).toMatch(/SMTPUTF8/)
})

test.each<[string, Request, Template, string]>([
  ['a line break in the subject', { ...content, subject: injection }, undefined, 'subject'],
  ['a lone line feed in the subject', { ...content, subject: 'a\nb' }, undefined, 'subject'],
  ['a control character in the subject', { ...content, subject: 'a\u0000b' }, undefined, 'subject'],
  ['an empty subject', { ...content, subject: '  ' }, undefined, 'subject'],
  ['no subject', { recipient, body: 'B' }, undefined, 'subject'],
  ['no body', { recipient, subject: 'S' }, undefined, 'body'],
  ['an empty body', { ...content, body: ' \n ' }, undefined, 'body'],
  [
    'a line break that a variable brings into the subject',
    { ...event, data: { name: injection, order: '1' } },
    template,
    'data',
  ],
  [
    'one that template_data brings',
    { ...stored, template_data: { name: injection, order: '1' } },
    template,
    'template_data',
  ],
  [
    'one that template_data brings into content',
    { ...content, template_data: { name: injection } },
    undefined,
    'subject',
  ],
  ['a subject that cannot be filled', { ...content, subject: '{{', template_data: {} }, undefined, 'subject'],
  [
    'HTML that cannot be filled',
    { ...content, html_body: '{% if %}', template_data: { name: 'Ada' } },
    undefined,
    'html_body',
  ],
  ['a subject that grows too long', { ...event, data: { name: 'x'.repeat(999), order: '1' } }, template, 'data'],
  ['a text that comes out empty', event, { subject: 'S', body: '{% if no %}x{% endif %}' }, 'data'],
  ['a NUL that a filter makes', event, { subject: 'S', body: 'a{{ "%00" | url_decode }}' }, 'data'],
  [
    'a NUL that a filter makes in HTML',
    event,
    { subject: 'S', body: 'B', html_body: '{{ "%00" | url_decode }}' },
    'data',
  ],
])('%s is 422 naming the field', async (_what, request, used, path) => {
  expect((await refusalOf(request, used)).slice(0, 2)).toEqual(['validation_failed', path])
})

test.each<[Request, Template, string]>([
  [{ ...event, data: { name: 'Ada' } }, template, 'data.order'],
  [{ ...event, data: undefined }, template, 'data.order'],
  [{ ...stored, template_data: { name: 'Ada' } }, template, 'template_data.order'],
  [{ ...content, template_data: {} }, undefined, 'template_data.name'],
  [event, { subject: 'S', body: 'B', html_body: '{{ price }}' }, 'data.price'],
])('%# a variable that is missing is named', async (request, used, path) => {
  expect((await refusalOf(request, used)).slice(0, 2)).toEqual(['template_variable_missing', path])
})

test('a subject may stand in a template of several lines', async () => {
  const subject = '\n  {% if vip %}Dear {% endif %}{{ name }}\n'
  expect((await compose({ ...event, data: { name: 'Ada' } }, { subject, body: 'B' })).subject).toBe('Ada')
})

test('an email of HTML alone gets a text made of it', async () => {
  const html_body =
    '<html><head><title>T</title><style>p{}</style></head><body><h1>Hello {{name}}</h1><p>Your <a href="https://shop.example/o">order</a>.</p><img src="cid:logo" alt=""></body></html>'
  const made = { text: 'Hello Ada\n\nYour order (https://shop.example/o).', html: html_body.replace('{{name}}', 'Ada') }
  const filled = { subject: 'S', html_body }
  expect(await compose({ recipient, ...filled, template_data: { name: 'Ada' } })).toMatchObject(made)
  expect(await compose({ recipient, template_data: { name: 'Ada' } }, filled)).toMatchObject(made)
})

test.each<[string, object, string]>([
  ['neither text nor HTML', { body: undefined, html_body: undefined }, 'body'],
  ['HTML without text', { body: undefined, html_body: '<img src="cid:logo">' }, 'html_body'],
  ['long HTML without a text', { body: undefined, html_body: `<p>${'a'.repeat(100_000)}</p>` }, 'html_body'],
  [
    'HTML with more than a million characters of text',
    { body: undefined, html_body: `${'<blockquote>'.repeat(90)}<pre>${'\na'.repeat(48_000)}` },
    'html_body',
  ],
  ['a preheader of two lines', { preheader: 'a\nb' }, 'preheader'],
])('%s is refused', async (_what, fields, path) => {
  expect(await refusalOf({ ...content, ...fields })).toMatchObject(['validation_failed', path, expect.anything()])
})

test('a preheader stands hidden at the beginning of the HTML body, escaped, and not in the text', async () => {
  const html_body = '<html><BODY class="a">\n<p>Hi</p></BODY></html>'
  const { html, text } = await compose({ recipient, subject: 'S', html_body, preheader: ' Ships <today> & "more" ' })
  expect(html).toMatch(
    /^<html><BODY class="a"><div style="display:none;[^"]*" [^>]*>Ships &lt;today&gt; &amp; &quot;more&quot;&#847;.*<\/div>\n<p>Hi<\/p><\/BODY><\/html>$/,
  )
  expect(text).toBe('Hi')
  const bare = await compose({ recipient, subject: 'S', body: 'B', html_body: '<p>Hi</p>', preheader: 'First' })
  expect(bare).toMatchObject({
    text: 'B',
    html: expect.stringMatching(/^<div style="display:none;[^>]*>First.*<\/div><p>Hi<\/p>$/),
  })
})

test('a preheader is filled with the variables of its template', async () => {
  const { html } = await compose(event, { ...template, preheader: 'Order {{order}}' })
  expect(html).toMatch(/^<div style="display:none;[^>]*>Order A&amp;1&#847;/)
})

const layout_id = newId('lay')
const brand = {
  html_body: '<html><body><h1>{{ name }}</h1>{{ content }}<p>Shop</p></body></html>',
  body: '{{ name }}:\n{{ content }}\n-- Shop',
}

test('a layout stands around what was rendered: HTML in HTML, text in text', async () => {
  expect(await compose({ ...stored, layout_id }, { ...template, layout_id }, brand)).toMatchObject({
    subject: 'Order A&1 for Ada <3',
    html: '<html><body><h1>Ada &lt;3</h1><p>Hi Ada &lt;3, <b>A&amp;1</b> is on its way.</p><p>Shop</p></body></html>',
    text: 'Ada <3:\nHi Ada <3, A&1 is on its way.\n-- Shop',
  })
})

test('content that was written for one message is not rendered by its layout', async () => {
  const made = await compose({ ...content, layout_id }, undefined, {
    html_body: '<b>{{ content }}</b>',
    body: '[{{- content -}} ]',
  })
  expect(made).toMatchObject({ html: '<b><p>Dear {{name}}</p></b>', text: '[Dear {{name}} <3]' })
})

test('the preheader stands in the body of the layout, and the text is made of the whole', async () => {
  const { html, text } = await compose(
    {
      recipient,
      subject: 'S',
      html_body: '<p>Inner</p>',
      preheader: 'Soon',
      template_data: { name: 'Ada' },
      layout_id,
    },
    undefined,
    brand,
  )
  expect(html).toMatch(/^<html><body><div style="[^"]*" aria-hidden="true">Soon&.*<h1>Ada<\/h1><p>Inner<\/p>/)
  expect(text).toBe('Ada\n\nInner\n\nShop')
})

test('a layout without a text leaves the text of an email as it is', async () => {
  const { html_body } = brand
  const made = await compose({ ...content, template_data: { name: 'Ada' }, layout_id }, undefined, { html_body })
  expect(made.text).toBe('Dear Ada <3')
})

test('a value cannot move the content of a layout', async () => {
  const name = '{{ content }} content-0 $& $1'
  const made = await compose({ ...content, template_data: { name }, layout_id }, undefined, brand)
  expect(made.html).toBe(
    `<html><body><h1>${name.replace('$&', '$&amp;')}</h1><p>Dear ${name.replace('$&', '$&amp;')}</p><p>Shop</p></body></html>`,
  )
})

test('a fault of a layout names it', async () => {
  const refused = (layout: LayoutTexts, fields: object = {}) =>
    compose({ ...content, ...fields, layout_id }, undefined, layout).then(
      () => 'composed',
      (error: Problem) => [error.code, error.errors?.[0]?.path],
    )
  expect(await refused(brand)).toEqual(['template_variable_missing', 'template_data.name'])
  expect(await refused({ html_body: '<p>none</p>' })).toEqual(['validation_failed', 'layout_id'])
  expect(await refused({ html_body: '{{ content }}{{ 1 | divided_by: 0 }}' })).toEqual([
    'validation_failed',
    'layout_id',
  ])
  const endless = '{{ content }}{% for i in (1..1000000) %}{% for j in (1..1000000) %}{{ j }}{% endfor %}{% endfor %}'
  expect(await refused({ html_body: endless })).toEqual(['validation_failed', 'layout_id'])
})
