import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { becomeDue, expectProblem, inAnHour, post, postUntilTaken, untilState } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import {
  consentOf,
  judgeTemplate,
  optIn,
  shippedTo,
  untilConsent,
  untilTemplates,
  writeToUs,
} from '@notify/test-kit/whatsapp'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'consent'], { apart: ['consent'] })
  await untilTemplates(env)
})
afterAll(() => env?.stop())

let evidence = 0
const fresh = () => ({ evidence_url: `https://shop.example/opt-ins/${++evidence}` })

async function agreed(ending?: string): Promise<string> {
  const phone = freshPhone(ending)
  expect((await optIn(env, phone)).status).toBe(201)
  return phone
}

const sendOnce = (body: unknown) => postUntilTaken(env, '/api/v1/notifications', body)
const ask = (phone: string, fields: object = {}) => sendOnce(shippedTo(phone, fields))

async function sent(phone: string): Promise<string> {
  const { status, body } = await ask(phone)
  expect([status, body]).toEqual([202, expect.objectContaining({ delivery_status: 'queued' })])
  return body.notification_id
}

test('refused without a reference and without consent, accepted, delivered and read, stopped, refused, back with fresh evidence', async () => {
  const phone = freshPhone()
  for (const recipient of [phone, { phone }, { phone, opt_in_reference: '' }]) {
    expectProblem(await ask(phone, { recipient }), 422, 'WHATSAPP_OPT_IN_REQUIRED')
  }
  expectProblem(await ask(phone), 422, 'whatsapp_opt_in_required')
  expect((await optIn(env, phone)).status).toBe(201)
  const id = await sent(phone)
  await untilState(env, id, { delivery_status: 'delivered', credits: 1, channel: 'whatsapp' })
  const [message] = await env.messages({ to: phone })
  expect(message).toMatchObject({ channel: 'whatsapp', text: 'Hi Ada, your order A-1 is on its way.' })
  await untilState(env, id, { delivery_status: 'delivered', read_at: expect.any(String) })
  await writeToUs(env, phone, { body: 'please do not stop' })
  await writeToUs(env, phone, { body: ' Ｓtop\u200b. ' })
  await untilConsent(env, phone, { status: 'revoked', history: [{ action: 'opt_out', source: 'reply' }, {}] })
  expectProblem(await ask(phone), 422, 'whatsapp_opt_in_required')
  expectProblem(await optIn(env, phone), 409, 'whatsapp_recipient_stopped')
  expectProblem(await optIn(env, phone, { source: 'import', ...fresh() }), 409, 'whatsapp_recipient_stopped')
  expect((await optIn(env, phone, fresh())).status).toBe(201)
  await untilState(env, await sent(phone), { delivery_status: 'delivered' })
})

const explain = async (address: string, topic?: string) =>
  (await env.api('POST', '/api/v1/preferences/explain', { body: { address, channel: 'whatsapp', topic } })).body

test('explained, it is stopped without consent, whatever else is looked at', async () => {
  const phone = await agreed()
  expect(await explain(freshPhone())).toMatchObject({
    sends: false,
    considered: [{ check: 'consent', outcome: 'stops', decided: true }, { check: 'topic' }],
  })
  expect(await explain(phone)).toMatchObject({ sends: true, considered: [{ check: 'consent', outcome: 'passes' }, {}] })
})

test('no log line contains an id of Meta, because it contains the number', async () => {
  const phone = await agreed()
  await untilState(env, await sent(phone), { delivery_status: 'delivered' })
  const [message] = await env.messages({ to: phone })
  expect(Buffer.from(message!.provider_message_id.slice('wamid.'.length), 'base64').toString()).toContain(
    phone.slice(1),
  )
  await writeToUs(env, phone, { body: 'STOP' })
  await untilConsent(env, phone, { status: 'revoked' })
  const log = () => (['dispatch-worker', 'callbacks', 'consent'] as const).map((name) => env.logs(name, 5000)).join()
  await eventually(() => expect(log()).toContain('consent revoked by a message'))
  expect(log()).toContain('"msg":"attempt"')
  expect(log()).not.toContain('wamid.')
})

test('ids of Meta are stored, published and shown without the number', async () => {
  const phone = await agreed()
  const id = await sent(phone)
  const shown = await untilState(env, id, { delivery_status: 'delivered' })
  await writeToUs(env, phone, { body: 'STOP' })
  await untilConsent(env, phone, { status: 'revoked' })
  const { rows } = await env.admin.query<{ place: string; text: string }>(
    `select 'attempts' as place, provider_message_id as text from dispatch.attempts where notification_id = $1
     union all select 'callbacks', provider_message_id from callbacks.received_callbacks
     union all select 'events', events::text from callbacks.outbox
     union all select 'consents', origin from consent.consent_entries where origin is not null`,
    [id],
  )
  const found = rows.flatMap(({ place, text }) =>
    [...text.matchAll(/wamid\.([\w+/]+)/g)].map(([, record]) => ({ place, record: record! })),
  )
  expect(new Set(found.map(({ place }) => place))).toEqual(new Set(['attempts', 'callbacks', 'events', 'consents']))
  const named = found.filter(({ record }) => Buffer.from(record, 'base64').includes(phone.slice(1)))
  expect(named).toEqual([])
  expect(shown.attempts[0].provider_message_id).toMatch(/^wamid\./)
})

test('after a STOP a repetition under the same key returns the earlier answer', async () => {
  const phone = await agreed()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await postUntilTaken(env, '/api/v1/notifications', shippedTo(phone), { headers })
  await env.api('POST', '/api/v1/whatsapp/opt-outs', { body: { phone_e164: phone } })
  const again = await post(env, shippedTo(phone), { headers })
  expect([again.status, again.text]).toEqual([202, first.text])
})

test('a STOP between acceptance and send fails the message permanently, with the ledger entry in the reason', async () => {
  const phone = await agreed()
  const { body } = await ask(phone, { send_at: inAnHour() })
  await writeToUs(env, phone, { button: 'Stop' })
  await untilConsent(env, phone, { status: 'revoked' })
  const [entry] = (await consentOf(env, phone)).history
  expect(entry.source).toBe('button')
  await becomeDue(env, body.notification_id)
  await untilState(env, body.notification_id, {
    delivery_status: 'failed',
    retryable: false,
    failure_reason: expect.stringContaining(entry.id),
  })
  expect(await env.messages({ to: phone })).toEqual([])
})

describe('without the consent service', () => {
  test('nothing is accepted, and accepted messages wait and are sent when it is back', async () => {
    const phone = await agreed()
    const { body } = await ask(phone, { send_at: inAnHour() })
    await env.kill('consent')
    await becomeDue(env, body.notification_id)
    const refused = await post(env, shippedTo(phone))
    expectProblem(refused, 503, 'service_unavailable')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select n.status, (select count(*)::int from dispatch.attempts where notification_id = n.id) as attempts
         from dispatch.notifications n join dispatch.held_queues using (application_id, channel, mode)
         where n.id = $1 and not n.sending`,
        [body.notification_id],
      )
      expect(rows).toEqual([{ status: 'queued', attempts: 0 }])
    })
    expect(await env.messages({ to: phone })).toEqual([])
    await env.restart('consent')
    const { attempts } = await untilState(env, body.notification_id, { delivery_status: 'delivered' })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    expect(await env.messages({ to: phone })).toHaveLength(1)
  })
})

describe('a template', () => {
  const withTemplate = (template_name: string, category = 'marketing', parameters: unknown = ['{{name}}']) => ({
    name: template_name,
    templates: { whatsapp: { template_name, language: 'en_US', category, parameters } },
  })

  async function sendTemplate(phone: string, template: object) {
    const { body } = await env.api('POST', '/api/v1/templates', { token: env.operatorToken, body: template })
    return sendOnce({
      ...shippedTo(phone),
      event_key: undefined,
      data: undefined,
      template_id: body.template_id,
      template_data: { name: 'Ada' },
    })
  }

  test.each(['promo_spring', 'promo_rejected', 'promo_paused', 'promo_disabled', 'never_heard_of'])(
    'that is not approved is refused: %s',
    async (name) => {
      expectProblem(await sendTemplate(await agreed(), withTemplate(name)), 409, 'template_not_approved')
    },
  )

  test('of another category than the approved one is refused', async () => {
    expectProblem(
      await sendTemplate(await agreed(), withTemplate('order_update', 'marketing', ['{{name}}', 'A-1'])),
      409,
      'template_not_approved',
    )
  })

  test('with named parameters costs the credits of its category', async () => {
    const named = withTemplate('spring_sale', 'marketing', { first_name: '{{name}}', until: 'May\n1st' })
    const phone = await agreed()
    const { body } = await sendTemplate(phone, named)
    await untilState(env, body.notification_id, { delivery_status: 'delivered', credits: 3 })
    expect((await env.messages({ to: phone }))[0]!.text).toBe('Hi Ada, spring sale until May 1st!')
  })

  test('is sent with its header and the values of its buttons', async () => {
    const template = withTemplate('invoice_ready', 'utility', ['{{name}}', '9 EUR'])
    Object.assign(template.templates.whatsapp, {
      header: { type: 'text', value: '{{name}}' },
      buttons: [{ index: 0, type: 'url', value: 'pay?for={{name}}' }],
    })
    const phone = await agreed()
    const { body } = await sendTemplate(phone, template)
    await untilState(env, body.notification_id, { delivery_status: 'delivered' })
    const [message] = await env.messages({ to: phone })
    expect((message!.request.body as { template: object }).template).toMatchObject({
      components: [
        { type: 'header', parameters: [{ type: 'text', text: 'Ada' }] },
        { type: 'body', parameters: [{ text: 'Ada' }, { text: '9 EUR' }] },
        { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'pay?for=Ada' }] },
      ],
    })
  })

  test('one whose text got another placeholder at the carrier is refused at acceptance, naming it', async () => {
    const phone = await agreed()
    await judgeTemplate(env, { name: 'grows', category: 'UTILITY', body: 'Hi {{1}}.' })
    const { body } = await env.api('POST', '/api/v1/templates', {
      token: env.operatorToken,
      body: withTemplate('grows', 'utility'),
    })
    const send = () =>
      post(env, {
        channel: 'whatsapp',
        recipient: shippedTo(phone).recipient,
        template_id: body.template_id,
        template_data: { name: 'Ada' },
      })
    await eventually(async () => expect((await send()).status).toBe(202))
    await judgeTemplate(env, { name: 'grows', status: 'APPROVED', body: 'Hi {{1}}, {{2}}.' })
    await eventually(async () => {
      const refused = await send()
      expectProblem(refused, 409, 'template_not_approved')
      expect(refused.body.detail).toContain('whatsapp.parameters.1')
    })
  })

  test('changes its state when the carrier reports it: paused, and approved again', async () => {
    const phone = await agreed()
    await judgeTemplate(env, { name: 'news', category: 'UTILITY', body: 'Hi {{1}}.' })
    const template = withTemplate('news', 'utility')
    await eventually(async () => expect((await sendTemplate(phone, template)).status).toBe(202))
    await judgeTemplate(env, { name: 'news', status: 'PAUSED' })
    await eventually(async () => expect((await sendTemplate(phone, template)).status).toBe(409))
    await judgeTemplate(env, { name: 'news', status: 'APPROVED' })
    await eventually(async () => expect((await sendTemplate(phone, template)).status).toBe(202))
  })

  test('is sent in the first language of the recipient that is approved; without any the state of each is named', async () => {
    const inLanguage = (language: string) => ({
      whatsapp: { template_name: 'translated', language, category: 'utility', parameters: ['{{name}}'] },
    })
    const body = {
      name: 'Translated',
      templates: inLanguage('en_US'),
      translations: { 'pt-BR': inLanguage('pt_BR'), pt: inLanguage('pt_PT') },
    }
    const { template_id } = (await env.api('POST', '/api/v1/templates', { token: env.operatorToken, body })).body
    const phone = await agreed()
    const sendIn = (locale: string) =>
      post(env, {
        ...{ channel: 'whatsapp', recipient: shippedTo(phone).recipient, locale },
        ...{ template_id, template_data: { name: 'Ada' } },
      })
    const review = (language: string, status: string, text = 'Hi {{1}}.') =>
      judgeTemplate(env, { name: 'translated', language, status, category: 'UTILITY', body: text })
    await review('pt_BR', 'PENDING')
    await review('pt_PT', 'REJECTED')
    await review('en_US', 'PENDING')
    await env.api('POST', '/api/v1/whatsapp/templates/sync', { token: env.operatorToken })
    await eventually(async () => {
      const refused = await sendIn('pt-BR')
      expectProblem(refused, 409, 'template_not_approved')
      expect(refused.body.errors).toEqual([
        { path: 'locale', message: expect.stringMatching(/^pt_BR: .* is pending/) },
        { path: 'locale', message: expect.stringMatching(/^pt_PT: .* is rejected/) },
        { path: 'locale', message: expect.stringMatching(/^en_US: .* is pending/) },
      ])
    })
    await review('pt_PT', 'APPROVED', 'Olá {{1}}.')
    const id = await eventually(async () => {
      const { status, body: answer } = await sendIn('pt-BR')
      expect(status).toBe(202)
      return answer.notification_id
    })
    await untilState(env, id, { delivery_status: 'delivered', locale: 'pt', requested_locale: 'pt-BR' })
    expect((await env.messages({ to: phone }))[0]!.text).toBe('Olá Ada.')
  })

  test('is synchronised when an operator requests it, and is listed with its state', async () => {
    await judgeTemplate(env, { name: 'quiet_news', category: 'UTILITY', tell: false })
    const path = '/api/v1/whatsapp/templates'
    const asked = await env.api('POST', `${path}/sync`, { token: env.operatorToken })
    expect([asked.status, asked.body]).toEqual([202, { status: 'sync_queued', providers: 2 }])
    await eventually(async () => {
      const { body } = await env.api('GET', `${path}?limit=100`, { token: env.operatorToken })
      const found = body.items.filter(({ name }: { name: string }) => name === 'quiet_news')
      expect(found).toHaveLength(2)
      expect(found[0]).toMatchObject({ language: 'en_US', status: 'approved', category: 'utility' })
    })
  })

  test("is required: the caller's own text is never sent", async () => {
    const { event_key: _, data: __, ...rest } = shippedTo(await agreed())
    expectProblem(await post(env, { ...rest, body: 'Hello' }), 422, 'validation_failed')
  })
})

test('a recipient who stopped marketing gets all other messages, and marketing again once it is resumed', async () => {
  const phone = await agreed()
  await writeToUs(env, phone, { preference: 'stop' })
  await untilConsent(env, phone, { status: 'active', marketing: 'stopped' })
  const sale = await env.api('POST', '/api/v1/templates', {
    token: env.operatorToken,
    body: {
      name: 'sale',
      templates: {
        whatsapp: {
          template_name: 'spring_sale',
          language: 'en_US',
          category: 'marketing',
          parameters: { first_name: 'Ada', until: 'May' },
        },
      },
    },
  })
  const marketing = () =>
    sendOnce({ channel: 'whatsapp', recipient: { phone, opt_in_reference: 'r' }, template_id: sale.body.template_id })
  expectProblem(await marketing(), 422, 'whatsapp_opt_in_required')
  await sent(phone)
  const [news, orders] = [await topicSent('marketing'), await topicSent('marketing', 'utility')]
  const stops = {
    check: 'consent',
    outcome: 'stops',
    decided: true,
    detail: expect.stringContaining('stopped marketing'),
  }
  expect(await explain(phone, news)).toMatchObject({ sends: false, considered: [stops, {}, {}] })
  for (const topic of [orders, undefined]) {
    const { sends, considered } = await explain(phone, topic)
    expect([sends, considered[0]]).toEqual([true, { ...stops, outcome: 'passes', decided: false }])
  }
  await writeToUs(env, phone, { preference: 'resume' })
  await untilConsent(env, phone, { marketing: 'allowed' })
  expect((await marketing()).status).toBe(202)
  expect((await explain(phone, news)).sends).toBe(true)
})

/** A topic that published events send with templates of these categories. @returns its key */
async function topicSent(...categories: string[]): Promise<string> {
  const [path, token] = [`/api/v1/applications/${env.applicationId}`, env.operatorToken]
  const topic_key = `of-${categories.join('-')}`
  const topic = { topic_key, name: 'Topic', channels: ['whatsapp'] }
  expect((await env.api('POST', `${path}/topics`, { token, body: topic })).status).toBe(201)
  for (const category of categories) {
    const template = { template_name: `unknown_${category}`, language: 'en_US', category, parameters: ['Ada'] }
    const event = { event_key: `${topic_key}.${category}`, name: 'Event', status: 'published', topic: topic_key }
    const body = { ...event, allowed_channels: ['whatsapp'], templates: { whatsapp: template } }
    const { status, text } = await env.api('POST', `${path}/events`, { token, body })
    expect([status, text]).toEqual([201, expect.any(String)])
  }
  return topic_key
}

test.each([
  ['+5531996880100', '+553196880100'],
  ['+525512340100', '+5215512340100'],
  ['+541123450100', '+5491123450100'],
])('a recipient who agreed as %s, and whom Meta calls %s, stops and resumes', async (agreedAs, metaSays) => {
  expect((await optIn(env, agreedAs)).status).toBe(201)
  await untilState(env, await sent(agreedAs), { delivery_status: 'delivered' })
  await writeToUs(env, metaSays, { preference: 'stop' })
  await untilConsent(env, agreedAs, { status: 'active', marketing: 'stopped' })
  await writeToUs(env, metaSays, { preference: 'resume' })
  await untilConsent(env, agreedAs, { status: 'active', marketing: 'allowed' })
  await writeToUs(env, metaSays, { body: 'STOP' })
  await untilConsent(env, agreedAs, {
    status: 'revoked',
    history: [{ action: 'opt_out', source: 'reply' }, {}, {}, {}],
  })
  expectProblem(await ask(agreedAs), 422, 'whatsapp_opt_in_required')
  await untilConsent(env, metaSays, { status: 'revoked' })
})

test.each([
  ['0002', { delivery_status: 'failed', failure_reason: expect.stringContaining('131026'), retryable: false }],
  ['0003', { delivery_status: 'failed', failure_reason: expect.stringContaining('131026'), retryable: false }],
  ['0004', { delivery_status: 'delivered' }],
  ['0005', { delivery_status: 'delivered' }],
  ['0007', { delivery_status: 'delivered' }],
  ['0008', { delivery_status: 'sent' }],
])('a number that ends in %s ends as %j', async (ending, state) => {
  await untilState(env, await sent(await agreed(ending)), state)
})
