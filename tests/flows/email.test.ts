import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { asOperator, becomeDue, expectProblem, inAnHour, post, stateOf, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages, untilSettled } from '@notify/test-kit/bus'
import { emailOf, emailTo, freshAddress, sendEmail } from '@notify/test-kit/email'
import { searchColumns, writtenSecrets } from '@notify/test-kit/search-columns'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: {
      'dispatch-worker': {
        // Longer than an answer takes on a busy machine: an unknown outcome would wait for a minute.
        CARRIER_TIMEOUT: '5s',
        // Delays are random: only the sum of many is long enough for a domain to be repaired meanwhile.
        SEND_RETRY_DELAYS: Array(30).fill('1s').join(),
      },
    },
  })
})
afterAll(() => env?.stop())

const operator = (method: string, path: string, body?: unknown) =>
  asOperator(env, method, path, body === undefined ? {} : { body })

async function suppressionsOf(recipient: string) {
  const { body } = await operator('GET', `/api/v1/suppressions?${new URLSearchParams({ recipient })}`)
  return body.items
}

describe('an email is sent and delivered', () => {
  test("with an event's template, and delivered by the signed event of the carrier", async () => {
    const to = freshAddress()
    const id = await sendEmail(env, {
      channel: 'email',
      event_key: 'order.shipped',
      recipient: { email: to, name: 'Lovelace, "Ada"' },
      data: { name: 'Ada <3', order: 'A-1' },
      metadata: { order: 'A-1' },
    })
    const state = await untilState(env, id, { delivery_status: 'delivered' })
    expect(state).toMatchObject({
      channel: 'email',
      event_key: 'order.shipped',
      recipient_masked: 'a***@mailbox.example',
      failure_reason: null,
      retryable: false,
      credits: 0,
      metadata: { order: 'A-1' },
      attempts: [{ number: 1, outcome: 'accepted', provider_id: env.stack.state.ses_provider_id }],
    })
    const message = await emailOf(env, to)
    expect(message).toMatchObject({
      subject: 'Your order A-1 is on its way',
      text: expect.stringContaining('Hi Ada <3,'),
      html: expect.stringContaining('<p>Hi Ada &lt;3,</p>'),
      provider_message_id: state.attempts[0].provider_message_id,
    })
    expect(message.from).toContain('no-reply@demo-shop.example')
    expect(JSON.stringify(message.request.body)).toContain('Lovelace')
  })

  test('with its own content, unchanged', async () => {
    const to = freshAddress()
    const html_body = '<p>{{ not a template }}</p>'
    const id = await sendEmail(env, emailTo(to, { subject: 'Grüße — {{x}}', body: 'Hallo', html_body }))
    await untilState(env, id, { delivery_status: 'delivered', event_key: null })
    expect(await emailOf(env, to)).toMatchObject({ subject: 'Grüße — {{x}}', text: 'Hallo', html: html_body })
  })

  test('with a stored template, which has a text for SMS too', async () => {
    const made = await operator('POST', '/api/v1/templates', {
      name: 'Invoice',
      templates: {
        email: { subject: 'Invoice {{ number }}', body: 'Dear {{ name }}', html_body: '<b>{{ name }}</b>' },
        sms: { body: 'Invoice {{ number }}' },
      },
    })
    const stored = { template_id: made.body.template_id, template_data: { name: 'O’Hara & Co', number: 'I-7' } }
    const [to, phone] = [freshAddress(), freshPhone()]
    const id = await sendEmail(env, { channel: 'email', recipient: to, ...stored })
    const sms = await sendEmail(env, { channel: 'sms', recipient: phone, ...stored })
    for (const one of [id, sms]) await untilState(env, one, { delivery_status: 'delivered' })
    expect(await emailOf(env, to)).toMatchObject({
      subject: 'Invoice I-7',
      text: 'Dear O’Hara & Co',
      html: '<b>O’Hara &amp; Co</b>',
    })
    expect((await env.messages({ to: phone }))[0]?.text).toBe('Invoice I-7')
  })

  test('as a campaign, in its own lane, and scheduled', async () => {
    const to = freshAddress()
    const send_at = inAnHour()
    const { body } = await post(env, emailTo(to, { priority: 'bulk', send_at }))
    expect(body.delivery_status).toBe('scheduled')
    expect(await stateOf(env, body.notification_id)).toMatchObject({ delivery_status: 'scheduled', send_at })
    await becomeDue(env, body.notification_id)
    await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  })

  test('once under its Idempotency-Key, and repetitions get the same answer byte for byte', async () => {
    const to = freshAddress()
    const headers = { 'idempotency-key': `email-${to}` }
    const [first, again] = [await post(env, emailTo(to), { headers }), await post(env, emailTo(to), { headers })]
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text])
    expectProblem(await post(env, emailTo(to, { subject: 'Other' }), { headers }), 409, 'idempotency_conflict')
    await untilState(env, first.body.notification_id, { delivery_status: 'delivered' })
    await emailOf(env, to)
  })
})

test('or refused alone within a batch, whatever its channel', async () => {
  const barred = freshAddress()
  await operator('POST', '/api/v1/suppressions', { channel: 'email', recipient: barred })
  const requests = [
    emailTo(freshAddress()),
    emailTo(barred),
    emailTo(freshAddress(), { from: 'news@nobody.example' }),
    smsTo(freshPhone()),
    emailTo('nobody'),
  ]
  const { status, body } = await env.api('POST', '/api/v1/notifications/batch', { body: { requests } })
  expect(status).toBe(202)
  const codes = body.results.map((result: { status?: string; error?: { code: string } }) => {
    return result.error?.code ?? result.status
  })
  expect(codes).toEqual(['accepted', 'recipient_suppressed', 'domain_not_verified', 'accepted', 'invalid_recipient'])
  expect(body.results[1].error).toMatchObject({ status: 422, errors: [{ path: 'recipient' }] })
  for (const place of [0, 3])
    await untilState(env, body.results[place].notification_id, { delivery_status: 'delivered' })
  expect(await env.messages({ to: barred })).toEqual([])
})

describe('the outcome of an email', () => {
  test('a permanent bounce: undelivered, and the address is suppressed in any spelling', async () => {
    const to = freshAddress('bounce')
    const id = await sendEmail(env, emailTo(to))
    const { failure_reason } = await untilState(env, id, { delivery_status: 'undelivered', retryable: false })
    expect(failure_reason).toMatch(/^bounce:Permanent:General /)
    expect(failure_reason).not.toContain('@')
    await eventually(async () => {
      expect(await suppressionsOf(to)).toMatchObject([{ reason: 'bounce', source_notification_id: id }])
    })
    for (const spelling of [to, to.toUpperCase(), to.replace('mailbox', 'Mailbox')]) {
      const refused = await post(env, emailTo({ email: spelling }))
      expectProblem(refused, 422, 'recipient_suppressed')
      expect(refused.body.detail).toMatch(/bounced.*DELETE \/api\/v1\/suppressions/)
      expect(refused.text.toLowerCase()).not.toContain(to)
    }
    const again = await retry(env, id)
    expectProblem(again, 409, 'not_retryable')
    // The explanation does not advise to lift the suppression, which would not help.
    expect(again.body.detail).toMatch(/bounce:Permanent/)
    expect(await env.messages({ to })).toHaveLength(1)
    const [{ suppression_id }] = await suppressionsOf(to)
    await operator('DELETE', `/api/v1/suppressions/${suppression_id}`)
    await sendEmail(env, emailTo(to))
  })

  test('a refusal for suppression is not stored: the same key is accepted once the suppression is lifted', async () => {
    const to = freshAddress()
    const { body } = await operator('POST', '/api/v1/suppressions', { channel: 'email', recipient: to })
    const headers = { 'idempotency-key': `lifted-${to}` }
    expectProblem(await post(env, emailTo(to), { headers }), 422, 'recipient_suppressed')
    await operator('DELETE', `/api/v1/suppressions/${body.suppression_id}`)
    expect((await post(env, emailTo(to), { headers })).status).toBe(202)
  })

  test('an accepted request is answered again under its key, although the recipient was suppressed since', async () => {
    const to = freshAddress()
    const headers = { 'idempotency-key': `before-${to}` }
    const first = await post(env, emailTo(to), { headers })
    await operator('POST', '/api/v1/suppressions', { channel: 'email', recipient: to })
    const again = await post(env, emailTo(to), { headers })
    expect([again.status, again.text]).toEqual([202, first.text])
  })

  test('a complaint: the message stays delivered, and the recipient is suppressed', async () => {
    const to = freshAddress('complaint')
    const id = await sendEmail(env, emailTo(to))
    await untilState(env, id, { delivery_status: 'delivered' })
    await eventually(async () => expect(await suppressionsOf(to)).toMatchObject([{ reason: 'complaint' }]))
    const refused = await post(env, emailTo(to))
    expectProblem(refused, 422, 'recipient_suppressed')
    expect(refused.body.detail).toMatch(/spam/)
    await untilSettled(env)
    expect((await stateOf(env, id)).delivery_status).toBe('delivered')
  })

  test('a full mailbox: undelivered, but an operator may retry it', async () => {
    const to = freshAddress('softbounce')
    const id = await sendEmail(env, emailTo(to))
    await untilState(env, id, { delivery_status: 'undelivered', retryable: true })
    await untilActivity(env, id, { status: 'undelivered', retryable: true })
    expect(await suppressionsOf(to)).toEqual([])
    expect((await retry(env, id)).status).toBe(202)
    await eventually(async () => expect(await env.messages({ to })).toHaveLength(2))
    await untilState(env, id, { delivery_status: 'undelivered', retry_count: 1, attempts: [{}, {}] })
  })

  test('a retry is refused if the recipient was suppressed meanwhile', async () => {
    const to = freshAddress('softbounce')
    const id = await sendEmail(env, emailTo(to))
    await untilState(env, id, { delivery_status: 'undelivered', retryable: true })
    const item = () => operator('GET', `/api/v1/activity/${id}`)
    await eventually(async () => expect((await item()).body).toMatchObject({ status: 'undelivered', retryable: true }))
    await operator('POST', '/api/v1/suppressions', { channel: 'email', recipient: to })
    const refused = await retry(env, id)
    expectProblem(refused, 409, 'not_retryable')
    expect(refused.body.detail).toMatch(/suppressed/)
    expect(await stateOf(env, id)).toMatchObject({ retry_count: 0, retryable: false })
    expect((await item()).body).toMatchObject({ status: 'undelivered', retryable: false })
  })

  test.each([
    ['virus', { delivery_status: 'failed', retryable: false }],
    ['reject', { delivery_status: 'failed', retryable: false, attempts: [{ outcome: 'rejected_permanent' }] }],
    ['delay', { delivery_status: 'delivered' }],
    ['duplicate', { delivery_status: 'delivered' }],
    ['throttle', { delivery_status: 'delivered' }],
    ['timeout', { delivery_status: 'delivered', attempts: [{ outcome: 'accepted' }] }],
    ['silent', { delivery_status: 'sent', attempts: [{ outcome: 'accepted' }] }],
  ])('a recipient of behaviour %s gives its outcome', async (behaviour, expected) => {
    const to = freshAddress(behaviour)
    const id = await sendEmail(env, emailTo(to))
    await untilState(env, id, expected)
    expect(await suppressionsOf(to)).toEqual([])
  })
})

describe('a sender in the request', () => {
  test('is refused until its domain is verified, and is then the sender at the carrier', async () => {
    const domain = 'shop.example'
    const from = `news@${domain}`
    const refused = await post(env, emailTo(freshAddress(), { from }))
    expectProblem(refused, 422, 'domain_not_verified')
    expect(refused.body.errors).toEqual([{ path: 'from', message: expect.any(String) }])
    const { body: added } = await env.api('POST', '/api/v1/domains', { body: { domain } })
    expectProblem(await post(env, emailTo(freshAddress(), { from })), 422, 'domain_not_verified')
    await env.setDns(added.records)
    const { body: verified } = await env.api('POST', `/api/v1/domains/${added.domain_id}/verify`)
    expect(verified.status).toBe('verified')
    const to = freshAddress()
    const id = await sendEmail(env, emailTo(to, { from: 'News@SHOP.example' }))
    await untilState(env, id, { delivery_status: 'delivered' })
    expect((await emailOf(env, to)).from).toContain('News@shop.example')
    for (const other of [`news@mail.${domain}`, 'news@shop.example.net']) {
      expectProblem(await post(env, emailTo(to, { from: other })), 422, 'domain_not_verified')
    }
    expect((await env.api('DELETE', `/api/v1/domains/${added.domain_id}`)).status).toBe(204)
    await eventually(async () => expectProblem(await post(env, emailTo(to, { from })), 422, 'domain_not_verified'))
  })

  test('a sender whose domain has degraded since the acceptance is not used until the domain is repaired', async () => {
    const { body: added } = await env.api('POST', '/api/v1/domains', { body: { domain: 'drift.example' } })
    const check = async () => (await env.api('POST', `/api/v1/domains/${added.domain_id}/verify`)).body.status
    await env.setDns(added.records)
    expect(await check()).toBe('verified')
    const to = freshAddress()
    const id = await sendEmail(env, emailTo(to, { from: 'news@drift.example', send_at: inAnHour() }))
    await env.setDns([{ type: 'TXT', name: 'drift.example', value: 'v=spf1 -all' }])
    expect(await check()).toBe('degraded')
    await becomeDue(env, id)
    const refusal = { outcome: 'rejected_retryable', provider_code: 'domain_not_verified', provider_id: null }
    await untilState(env, id, {
      delivery_status: 'queued',
      attempts: expect.arrayContaining([expect.objectContaining(refusal)]),
    })
    expect(await env.messages({ to })).toEqual([])
    await env.setDns(added.records)
    expect(await check()).toBe('verified')
    await untilState(env, id, { delivery_status: 'delivered' })
    await emailOf(env, to)
  })

  test('is refused on other channels', async () => {
    expectProblem(await post(env, smsTo(freshPhone(), { from: 'news@shop.example' })), 422, 'validation_failed')
  })
})

test('the activity filters emails by channel, with masked recipients', async () => {
  const to = freshAddress('bounce')
  const id = await sendEmail(env, emailTo({ email: to, name: 'Ada Lovelace' }))
  await sendEmail(env, smsTo(freshPhone()))
  const item = await untilActivity(env, id, { status: 'undelivered' })
  expect(item).toMatchObject({
    channel: 'email',
    recipient_masked: 'b***@mailbox.example',
    application_name: 'Demo Shop',
  })
  const { body } = await activity(env, { channel: 'email', status: 'undelivered', limit: '100' })
  expect(body.items.map(({ transaction_id }: { transaction_id: string }) => transaction_id)).toContain(id)
  expect(body.total_count).toBe(body.items.length)
  expect(new Set(body.items.map(({ channel }: { channel: string }) => channel))).toEqual(new Set(['email']))
  expect(JSON.stringify(body)).not.toMatch(/bounce\+|Lovelace/)
})

test('the recipient and the text of an email appear in no table, no message on the bus and no log', async () => {
  const [who, name, word, other] = ['zwetschgenknoedel', 'Rumpelstilzchen', 'Donaudampfschiff', 'Siebenschlaefer']
  const ids: string[] = []
  for (const behaviour of ['bounce', 'complaint', 'delay', 'reject', 'ada']) {
    const recipient = { email: `${behaviour}+${who}@mailbox.example`, name }
    const fields = { subject: word, body: `{{ a }}, ${word}`, html_body: `<p>${word}</p>`, template_data: { a: other } }
    ids.push(await sendEmail(env, emailTo(recipient, fields)))
  }
  for (const id of ids) {
    await untilState(env, id, { delivery_status: expect.stringMatching(/^(un)?delivered|failed$/) })
  }
  await untilSettled(env)
  const secrets = [who, name, word, other] as string[]
  const { found, columns } = await searchColumns(env.admin, serviceNames.map(schemaOf), secrets)
  expect(found).toEqual([])
  expect(columns).toEqual(
    expect.arrayContaining([
      'dispatch.notifications.payload',
      'dispatch.attempts.provider_message',
      'dispatch.suppressions.recipient_masked',
      'callbacks.outbox.events',
    ]),
  )
  await using bus = await openBus(env)
  const messages = await storedMessages(bus)
  expect(messages.some(({ subject }) => subject === 'callbacks.receipt.email')).toBe(true)
  expect(writtenSecrets(messages.map(({ text, headers }) => `${headers}\n${text}`).join('\n'), secrets)).toEqual([])
  for (const process of ['gateway', 'dispatch-api', 'dispatch-worker', 'callbacks'] as const) {
    const log = env.logs(process, 100_000)
    expect([process, log.length > 0, secrets.filter((secret) => log.includes(secret))]).toEqual([process, true, []])
  }
})
