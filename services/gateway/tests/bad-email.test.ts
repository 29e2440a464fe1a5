import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { effectsIn, expectProblem, post, untilState } from '@notify/test-kit/api'
import { emailOf, emailTo, freshAddress, sendEmail } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
let template_id: string
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
  const { body } = await env.api('POST', '/api/v1/templates', {
    token: env.operatorToken,
    body: { name: 'T', templates: { email: { subject: 'For {{ name }}', body: 'Dear {{ name }}' } } },
  })
  template_id = body.template_id
  // The first template starts the threads that render: on a busy machine it may be refused with 503.
  await eventually(async () =>
    expect((await post(env, emailTo(to, { body: '{% if %}', template_data: {} }))).status).toBe(422),
  )
})
afterAll(() => env?.stop())

const to = freshAddress()
const event = (fields: object) => ({ channel: 'email', event_key: 'order.shipped', recipient: to, ...fields })
const variables = { name: 'Ada', order: 'A-1' }
const injection = 'Ada\r\nBcc: everybody@example.com'

describe('refused requests leave nothing behind', () => {
  let before: object
  beforeEach(async () => {
    before = await effectsIn(env)
  })
  afterEach(async () => {
    expect(await effectsIn(env)).toEqual(before)
    expect(await env.messages({ channel: 'email' })).toEqual([])
  })

  /** Expects a refusal with this code and field, and a readable message. */
  async function expectRefusal(body: unknown, code: string, field: string) {
    const answer = await answerTo(body)
    expectProblem(answer, 422, code)
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toContain(field)
    expect(answer.body.detail.length).toBeLessThan(400)
    expect(answer.text).not.toContain('everybody@')
  }

  /** Waits while the tenant has used up its time for rendering, or a busy machine answers too late. */
  async function answerTo(body: unknown) {
    for (;;) {
      const answer = await post(env, body)
      if (answer.status !== 429 && answer.status !== 503) return answer
      await delay(Number(answer.headers.get('retry-after') ?? 1) * 1000)
    }
  }

  test.each<[string, unknown, string]>([
    ['10,000 characters', `${'a'.repeat(10_000)}@example.com`, 'recipient'],
    ['a domain of 10,000 characters', `a@${'b.'.repeat(5000)}com`, 'recipient'],
    ['empty', '', 'recipient'],
    ['a phone number', '+14155550100', 'recipient'],
    ['without a domain', 'ada@', 'recipient'],
    ['a name and an address', 'Ada <ada@example.com>', 'recipient'],
    ['two addresses', 'ada@example.com,eve@example.com', 'recipient'],
    ['an injected header', `ada@example.com\r\nBcc: everybody@example.com`, 'recipient'],
    ['unicode before the @', 'zoë@example.com', 'recipient'],
    ['cyrillic that looks like ASCII', 'аda@example.com', 'recipient'],
    ['a number of an address', 'ada@127.0.0.1', 'recipient'],
    ['an address literal', 'ada@[127.0.0.1]', 'recipient'],
    ['a quoted local part', '"a b"@example.com', 'recipient'],
    ['an object without an address', { name: 'Ada' }, 'recipient.email'],
    ['a number', { email: 7 }, 'recipient.email'],
    ['a list', { email: ['ada@example.com'] }, 'recipient.email'],
    ['a name with an injected header', { email: 'ada@example.com', name: injection }, 'recipient.name'],
    ['a name with a line separator', { email: 'ada@example.com', name: 'A\u2028B' }, 'recipient.name'],
    ['a name of 10,000 characters', { email: 'ada@example.com', name: 'x'.repeat(10_000) }, 'recipient.name'],
    ['a name that is an object', { email: 'ada@example.com', name: {} }, 'recipient.name'],
  ])('a recipient that is %s is 422 invalid_recipient', async (_what, recipient, field) => {
    await expectRefusal(emailTo(recipient as string), 'invalid_recipient', field)
    await expectRefusal({ ...event({ data: variables }), recipient }, 'invalid_recipient', field)
  })

  test.each<[string, unknown, string]>([
    ['a header injected into the subject', emailTo(to, { subject: injection }), 'subject'],
    ['a lone line feed in the subject', emailTo(to, { subject: 'a\nb' }), 'subject'],
    ['an escape in the subject', emailTo(to, { subject: 'a\u001b[31m' }), 'subject'],
    ['an empty subject', emailTo(to, { subject: ' ' }), 'subject'],
    ['no subject', { channel: 'email', recipient: to, body: 'x' }, 'subject'],
    ['a subject of 999 characters', emailTo(to, { subject: 'x'.repeat(999) }), 'subject'],
    ['a subject that is a number', emailTo(to, { subject: 7 }), 'subject'],
    ['neither text nor HTML', { channel: 'email', recipient: to, subject: 'x' }, 'body'],
    ['a blank body', emailTo(to, { body: ' \n' }), 'body'],
    ['a body of 100,001 characters', emailTo(to, { body: 'x'.repeat(100_001) }), 'body'],
    ['HTML of 200,001 characters', emailTo(to, { html_body: 'x'.repeat(200_001) }), 'html_body'],
    ['HTML that is a list', emailTo(to, { html_body: ['<p>'] }), 'html_body'],
    ['a phone beside the address', emailTo({ email: to, phone: freshPhone() }), 'recipient.phone'],
    ['an unknown field', emailTo(to, { copy: 'eve@example.com' }), 'copy'],
    ['HTML in a text message', smsTo(freshPhone(), { html_body: '<p>x</p>' }), 'html_body'],
    ['a subject of a text message', smsTo(freshPhone(), { subject: 'x' }), 'subject'],
    ['a title, which an email has not', emailTo(to, { title: 'x' }), 'title'],
    ['an event and a subject', event({ data: variables, subject: 'Mine' }), 'subject'],
    ['an event and HTML', event({ data: variables, html_body: '<p>' }), 'html_body'],
    ['a sender with an injected header', emailTo(to, { from: `news@a.example\r\nBcc: everybody@a.example` }), 'from'],
    ['a sender with a name', emailTo(to, { from: 'News <news@a.example>' }), 'from'],
    ['a sender of 1,001 characters', emailTo(to, { from: `${'n'.repeat(990)}@a.example` }), 'from'],
    ['a header that a variable injects', event({ data: { ...variables, order: injection } }), 'data'],
    ['a variable that makes the subject too long', event({ data: { ...variables, order: 'x'.repeat(999) } }), 'data'],
    ['a NUL that a filter makes', emailTo(to, { body: '{{ "%00" | url_decode }}', template_data: {} }), 'body'],
    [
      'a header that a filter injects',
      emailTo(to, { subject: '{{ "a%0D%0ABcc:b" | url_decode }}', template_data: {} }),
      'subject',
    ],
  ])('%s is 422 validation_failed naming the field', async (_what, body, field) => {
    await expectRefusal(body, 'validation_failed', field)
  })

  test('a sender at a domain that nobody verified is 422 domain_not_verified', async () => {
    for (const from of ['news@example.com', 'news@demo-shop.example', 'news@xn--bcher-kva.example']) {
      await expectRefusal(emailTo(to, { from }), 'domain_not_verified', 'from')
    }
  })

  test('more than the whole body may have is 413', async () => {
    const body = emailTo(to, { body: 'x'.repeat(90_000), html_body: 'x'.repeat(190_000) })
    expectProblem(await post(env, body), 413, 'payload_too_large')
  })

  describe('a template', () => {
    const stored = (fields: object = {}) => ({ channel: 'email', recipient: to, template_id, ...fields })

    test.each<[string, () => object, string]>([
      ['an event', () => event({ data: { name: 'Ada' } }), 'data.order'],
      ['an event without data', () => event({}), 'data.order'],
      ['a stored template', () => stored({ template_data: {} }), 'template_data.name'],
      ['content', () => emailTo(to, { html_body: '{{ price }}', template_data: {} }), 'template_data.price'],
      [
        'content by way of its prototype',
        () => emailTo(to, { body: '{{ constructor }}', template_data: {} }),
        'template_data.constructor',
      ],
    ])('of %s that lacks a variable is 422 template_variable_missing naming it', async (_what, body, field) => {
      await expectRefusal(body(), 'template_variable_missing', field)
    })

    test.each<[string, () => object, string]>([
      ['does not exist', () => stored({ template_id: newId('tmpl'), template_data: variables }), 'template_id'],
      ['is none', () => stored({ template_id: 'tmpl_1' }), 'template_id'],
      ['is given data', () => stored({ data: { name: 'Ada' } }), 'data'],
      ['has no part for the channel', () => ({ ...stored(), channel: 'sms', recipient: freshPhone() }), 'template_id'],
      ['comes with a body', () => stored({ template_data: variables, body: 'Mine' }), 'body'],
      ['comes with a subject', () => stored({ template_data: variables, subject: 'Mine' }), 'subject'],
      ['comes with an event', () => event({ data: variables, template_id }), 'template_id'],
      ['gets an injected header', () => stored({ template_data: { name: injection } }), 'template_data'],
      ['gets variables that are a list', () => stored({ template_data: ['Ada'] }), 'template_data'],
    ])('that %s is 422 validation_failed', async (_what, body, field) => {
      await expectRefusal(body(), 'validation_failed', field)
    })

    const nested = `${'{% if true %}'.repeat(200)}x${'{% endif %}'.repeat(200)}`
    const endless = '{% for i in (1..1000000) %}{% for j in (1..1000000) %}{{ j }}{% endfor %}{% endfor %}'
    test.each<[string, string]>([
      ['of 200 levels', nested],
      ['with an endless loop', endless],
      ['that doubles its text', `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(60)}{{ s }}`],
      ['that includes a file', '{% include "package.json" %}'],
      ['with a filter that undoes escaping', '{{ "<b>" | raw }}'],
      ['that does not end', '{% if true %}'],
      ['of 3,000 placeholders', '{{a}}'.repeat(3000)],
    ])('%s is 422, naming the part it stands in', async (_what, template) => {
      for (const part of ['subject', 'body', 'html_body']) {
        // Subjects of the content form are too short for some of these.
        if (part === 'subject' && template.length > 998) continue
        const body = emailTo(to, { [part]: template, template_data: { a: 'x' } })
        await expectRefusal(body, 'validation_failed', part)
      }
    })
  })
})

describe('unusual but valid content is sent unchanged', () => {
  test('an internationalised domain, the longest address, names and subjects of any script', async () => {
    const longest = `${'x'.repeat(64)}@${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(57)}.com`
    const name = 'Łukasz, "der Große" 🚲'
    const subject = '注文 — «Ürün» 📦'
    for (const [address, sent] of [
      ['ada@Bücher.example', 'ada@xn--bcher-kva.example'],
      [longest, longest],
    ] as const) {
      const id = await sendEmail(env, emailTo({ email: address, name }, { subject }))
      await untilState(env, id, { delivery_status: 'delivered' })
      expect(await emailOf(env, sent)).toMatchObject({ subject, to: sent })
    }
  })

  test('the largest HTML, and HTML that is no HTML, arrive byte for byte', async () => {
    const largest = `<p>${'ä'.repeat(99_990)}</p>`
    for (const html_body of [largest, '<<p>\r\n.\r\n</p ]]> & {{ x }} {% y %}']) {
      const address = freshAddress()
      const id = await sendEmail(env, emailTo(address, { html_body }))
      await untilState(env, id, { delivery_status: 'delivered' })
      expect((await emailOf(env, address)).html).toBe(html_body)
    }
  })

  test('values filled into HTML are escaped text, whatever they contain', async () => {
    const address = freshAddress()
    const template_data = { name: '<script>alert("x")</script> & \'co\'' }
    const html_body = '<p title="{{ name }}">{{ name }}</p>'
    const id = await sendEmail(env, emailTo(address, { body: '{{ name }}', html_body, template_data }))
    await untilState(env, id, { delivery_status: 'delivered' })
    const { text, html } = await emailOf(env, address)
    expect(text).toBe(template_data.name)
    expect(html).not.toMatch(/<script|"x"/)
  })

  test('of 20 emails of a megabyte at the same moment the first are accepted as a whole, the others after their Retry-After', async () => {
    const content = { body: '{{ a }}'.repeat(11), template_data: { a: 'x'.repeat(90_000) } }
    const bodies = Array.from({ length: 20 }, () => emailTo(freshAddress('silent'), content))
    const answers = await Promise.all(bodies.map((one) => post(env, one)))
    const refused = answers.filter(({ status }) => status !== 202)
    expect(answers.length - refused.length).toBeGreaterThan(3)
    // The tenant's share of rendering is used up, or the room for bodies.
    for (const { status, headers } of refused) {
      expect([429, 503]).toContain(status)
      expect(headers.get('retry-after')).toBe('1')
    }
    await eventually(async () => expect((await post(env, bodies[19]!)).status).toBe(202))
    const ids = answers.filter(({ status }) => status === 202).map(({ body: answer }) => answer.notification_id)
    for (const id of ids) await untilState(env, id, { delivery_status: 'sent' })
  })
})
