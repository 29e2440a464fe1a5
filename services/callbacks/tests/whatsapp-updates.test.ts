import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId, streams } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post, stateOf, untilState } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { freshPhone } from '@notify/test-kit/sms'
import { consentOf, optIn, shippedTo, untilConsent, untilTemplates } from '@notify/test-kit/whatsapp'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'consent'], {
    apart: ['dispatch-api', 'dispatch-worker', 'callbacks', 'consent'],
  })
  await untilTemplates(env)
})
afterAll(() => env?.stop())

const state = () => env.stack.state
const sign = (secret: string, raw: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

/** Posts a webhook to the shared address, or to the own one of a provider. */
function update(raw: string, { signature, own }: { signature?: string | undefined; own?: string } = {}) {
  const secret = own === undefined ? state().meta_shared_app_secret : state().meta_own_app_secret
  return env.api('POST', `/api/v1/callbacks/cloud/${own ?? 'shared'}`, {
    key: null,
    raw,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature ?? sign(secret, raw) },
  })
}

const envelopeOf = (id: string | undefined, ...changes: object[]) =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id, time: 1, changes }] })
const envelope = (...changes: object[]) => envelopeOf(state().meta_waba_id, ...changes)
const ofNumber = (value: object, phone_number_id = state().meta_phone_number_id) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id }, ...value },
})

async function rows(): Promise<number> {
  return (await env.admin.query('select count(*)::int as n from callbacks.received_callbacks')).rows[0].n
}

/** A message that the carrier took and says nothing more of by itself. */
async function silentMessage() {
  const phone = freshPhone('0008')
  await optIn(env, phone)
  const id = (await post(env, shippedTo(phone))).body.notification_id as string
  const { attempts } = await untilState(env, id, { delivery_status: 'sent' })
  const { attempt_id, provider_message_id } = attempts[0]
  const opaque = `notification_id=${id}&attempt_id=${attempt_id}`
  const status = (word: string, fields: object = {}) => ({
    id: provider_message_id,
    status: word,
    timestamp: '1761548340',
    recipient_id: phone.slice(1),
    biz_opaque_callback_data: opaque,
    ...fields,
  })
  return { id, phone, status }
}

describe('every example of the carrier', () => {
  const folder = join(import.meta.dirname, '../../../packages/carriers/tests/meta')
  const examples = readdirSync(folder).filter((name) => name.startsWith('webhook_'))
  /** What says nothing of a message's way, of consent or of a template. */
  const silent = [
    'status_deleted',
    'status_played_pywa',
    'status_unknown_in_orbit',
    'value_errors',
    'group_message_none',
  ]

  test.each(examples)('%s: of a foreign number it is taken without effect, of ours it is kept once', async (name) => {
    // Several examples are of the same message.
    await env.admin.query('delete from callbacks.received_callbacks')
    const foreign = readFileSync(join(folder, name), 'utf8')
    const before = await rows()
    expect([(await update(foreign)).status, await rows()]).toEqual([200, before])
    const { meta_phone_number_id, meta_waba_id } = state()
    const ours = foreign
      .replace(/("phone_number_id": *")\d+/g, `$1${meta_phone_number_id}`)
      .replace(/("id": *")\d{10,20}"/g, `$1${meta_waba_id}"`)
    expect((await update(ours)).status).toBe(200)
    const kept = await rows()
    const isSilent = silent.some((one) => name.includes(one))
    expect([name, kept > 0]).toEqual([name, !isSilent])
    expect([(await update(ours)).status, await rows()]).toEqual([200, kept])
  })

  test('none of them ends as a dead letter', async () => {
    for (const schema of ['dispatch', 'consent']) {
      const { rows: letters } = await env.admin.query(`select * from ${schema}.dead_letters`)
      expect([schema, letters]).toEqual([schema, []])
    }
  })
})

describe('a status', () => {
  test('moves the message; read implies delivered, and nothing lowers it again', async () => {
    const message = await silentMessage()
    await update(envelope(ofNumber({ statuses: [message.status('read')] })))
    const read = await untilState(env, message.id, { delivery_status: 'delivered', read_at: expect.any(String) })
    const errors = [{ code: 131026, title: 'Message undeliverable' }]
    await update(
      envelope(
        ofNumber({
          statuses: [
            message.status('sent'),
            message.status('delivered'),
            message.status('failed', { errors }),
            message.status('deleted'),
          ],
        }),
      ),
    )
    const later = await silentMessage()
    await update(envelope(ofNumber({ statuses: [later.status('failed', { errors })] })))
    await untilState(env, later.id, {
      delivery_status: 'failed',
      failure_reason: '131026 The recipient cannot receive WhatsApp messages',
      retryable: false,
    })
    expect(await stateOf(env, message.id)).toMatchObject({ delivery_status: 'delivered', read_at: read.read_at })
    expect((await stateOf(env, later.id)).read_at).toBeNull()
  })

  test('delivered overrides failed, also without a number of the recipient', async () => {
    const message = await silentMessage()
    const errors = [{ code: 131049, title: 'Healthy ecosystem' }]
    await update(envelope(ofNumber({ statuses: [message.status('failed', { errors, recipient_id: '' })] })))
    await untilState(env, message.id, { delivery_status: 'failed', retryable: true })
    await update(envelope(ofNumber({ statuses: [message.status('delivered', { recipient_id: '' })] })))
    await untilState(env, message.id, { delivery_status: 'delivered', failure_reason: null })
  })

  test('that says the recipient stopped marketing stops it', async () => {
    const message = await silentMessage()
    const errors = [{ code: 131050, title: 'User has stopped marketing messages' }]
    await update(envelope(ofNumber({ statuses: [message.status('failed', { errors })] })))
    await untilConsent(env, message.phone, { status: 'active', marketing: 'stopped' })
  })

  test('of a thousand in one post of 3 MB, of several numbers, all count', async () => {
    const message = await silentMessage()
    const others = Array.from({ length: 999 }, (_, at) => ({
      ...message.status('sent'),
      id: `wamid.${at}`,
      biz_opaque_callback_data: 'x',
      unknown: 'x'.repeat(3000),
    }))
    const raw = envelope(
      ofNumber({ statuses: others }),
      ofNumber({ statuses: [message.status('delivered')] }, '999999'),
      ofNumber({ statuses: [message.status('delivered')] }),
    )
    const before = await rows()
    expect((await update(raw)).status).toBe(200)
    expect(await rows()).toBe(before + 1000)
    await untilState(env, message.id, { delivery_status: 'delivered' })
  })
})

describe('a user without a number', () => {
  const contact = (wa_id: string, user_id: string) => ({ contacts: [{ wa_id, user_id, profile: { name: 'Ada' } }] })
  const stopBy = (user_id: string, id: string) => ({
    ...contact('', user_id),
    messages: [{ from: '', from_user_id: user_id, id, type: 'text', text: { body: 'STOP' } }],
  })

  test('a user whose number the carrier has reported before revokes by STOP', async () => {
    const message = await silentMessage()
    const userId = `user.${message.phone}`
    const named = { ...contact(message.phone.slice(1), userId), statuses: [message.status('delivered')] }
    expect((await update(envelope(ofNumber(named)))).status).toBe(200)
    expect((await update(envelope(ofNumber(stopBy(userId, `wamid.${userId}`))))).status).toBe(200)
    await untilConsent(env, message.phone, { status: 'revoked', history: [{ action: 'opt_out', source: 'reply' }, {}] })
  })

  test('STOP and marketing choice of a user without a number wait until the carrier reports it, and count once', async () => {
    const message = await silentMessage()
    const userId = `user.${message.phone}`
    const raw = envelope(ofNumber(stopBy(userId, `wamid.${userId}`)))
    const choice = { wa_id: '', category: 'marketing_messages', value: 'stop', timestamp: 1731705721 }
    const choices = envelope({
      ...ofNumber({ ...contact('', userId), user_preferences: [choice] }),
      field: 'user_preferences',
    })
    for (const body of [raw, raw, choices]) expect((await update(body)).status).toBe(200)
    await eventually(async () => {
      const { rows: waiting } = await env.admin.query('select action from consent.waiting_changes')
      expect(waiting.map(({ action }) => action).sort()).toEqual(['marketing_stop', 'opt_out'])
    })
    const named = { ...contact(message.phone.slice(1), userId), statuses: [message.status('read')] }
    expect((await update(envelope(ofNumber(named)))).status).toBe(200)
    await untilConsent(env, message.phone, { status: 'revoked', marketing: 'stopped' })
    expect((await consentOf(env, message.phone)).history).toHaveLength(3)
    const { rows: left } = await env.admin.query('select from consent.waiting_changes')
    expect(left).toEqual([])
  })
})

describe('an address of a customer’s own app', () => {
  test('counts for its own number alone', async () => {
    const own = state().meta_own_provider_id
    const message = await silentMessage()
    const before = await rows()
    const raw = envelope(ofNumber({ statuses: [message.status('delivered')] }))
    expect((await update(raw, { own })).status).toBe(200)
    expect(await rows()).toBe(before)
    const { meta_own_waba_id, meta_own_phone_number_id } = state()
    const change = ofNumber({ statuses: [message.status('delivered')] }, meta_own_phone_number_id)
    expect((await update(envelopeOf(meta_own_waba_id, change), { own })).status).toBe(200)
    expect(await rows()).toBe(before + 1)
  })

  test('does not exist without an app secret of the provider', async () => {
    const raw = envelope()
    for (const own of [state().meta_provider_id, newId('prov'), 'shared2', '..%2fshared']) {
      expectProblem(await update(raw, { own }), 404, 'not_found')
    }
  })
})

describe('a STOP counts only for the provider that both the business account and the number name', () => {
  const stop = (phone: string, number: string) =>
    ofNumber(
      { messages: [{ id: `wamid.${phone}`, from: phone.slice(1), type: 'text', text: { body: 'STOP' } }] },
      number,
    )
  const foreign = '999999999'
  const shared = () => ({ account: state().meta_waba_id, number: state().meta_phone_number_id })
  const own = () => ({ account: state().meta_own_waba_id, number: state().meta_own_phone_number_id })

  /** Where it was posted, and the identifiers in it. */
  test.each<[string, { to?: 'own'; ids: () => { account?: string; number: string } }]>([
    ['another account, at the shared address', { ids: () => ({ ...shared(), account: foreign }) }],
    ['no account, at the shared address', { ids: () => ({ number: shared().number }) }],
    ['another number, at the shared address', { ids: () => ({ ...shared(), number: foreign }) }],
    ['the account of one and the number of the other', { ids: () => ({ ...own(), number: shared().number }) }],
    ['a number with an app of its own, at the shared address', { ids: own }],
    ['another account, at an own address', { to: 'own', ids: () => ({ ...own(), account: foreign }) }],
    [
      'the account of another provider, at an own address',
      { to: 'own', ids: () => ({ ...own(), account: shared().account }) },
    ],
    ['another number, at an own address', { to: 'own', ids: () => ({ ...own(), number: foreign }) }],
    ['a number of the shared app, at an own address', { to: 'own', ids: shared }],
  ])('%s: without effect', async (_what, { to, ids }) => {
    const { account, number } = ids()
    const before = await rows()
    const posted = await update(
      envelopeOf(account, stop(freshPhone(), number)),
      to && { own: state().meta_own_provider_id },
    )
    expect([posted.status, posted.body]).toEqual([200, { status: 'ignored' }])
    expect(await rows()).toBe(before)
  })

  test.each([
    ['the shared address', undefined, shared],
    ['an own address', 'own', own],
  ] as const)('both its own, at %s: it revokes', async (_where, to, ids) => {
    const phone = freshPhone()
    await optIn(env, phone)
    const { account, number } = ids()
    const posted = await update(envelopeOf(account, stop(phone, number)), to && { own: state().meta_own_provider_id })
    expect([posted.status, posted.body]).toEqual([200, { status: 'recorded' }])
    await untilConsent(env, phone, { status: 'revoked' })
  })

  test('a template’s approval names the account alone, and counts for the providers of its address', async () => {
    const change = (name: string) => ({
      field: 'message_template_status_update',
      value: { event: 'PAUSED', message_template_id: 1, message_template_name: name, message_template_language: 'en' },
    })
    const before = await rows()
    await update(envelopeOf(own().account, change('a')))
    await update(envelopeOf(shared().account, change('b')), { own: state().meta_own_provider_id })
    expect(await rows()).toBe(before)
    await update(envelopeOf(shared().account, change('c')))
    await update(envelopeOf(own().account, change('d')), { own: state().meta_own_provider_id })
    expect(await rows()).toBe(before + 2)
  })
})

describe('the challenge', () => {
  const ask = (place: string, query: Record<string, string>) =>
    env.api('GET', `/api/v1/callbacks/cloud/${place}?${new URLSearchParams(query)}`, { key: null })

  test('is answered with its own words, on both addresses, to who shows the token', async () => {
    const { meta_verify_token, meta_own_provider_id, meta_own_verify_token } = state()
    for (const [place, token, other] of [
      ['shared', meta_verify_token, meta_own_verify_token],
      [meta_own_provider_id, meta_own_verify_token, meta_verify_token],
    ] as const) {
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158201444' }
      const answer = await ask(place, query)
      expect([answer.status, answer.text]).toEqual([200, '1158201444'])
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
      for (const wrong of [
        { 'hub.verify_token': other },
        { 'hub.mode': 'unsubscribe' },
        { 'hub.challenge': '<script>' },
      ]) {
        expectProblem(await ask(place, { ...query, ...wrong }), 403, 'permission_denied')
      }
    }
  })
})

describe('a callback with a wrong signature is refused, and nothing is stored', () => {
  const raw = () => envelope(ofNumber({ statuses: [{ id: 'wamid.x', status: 'sent', recipient_id: '1\u00e9' }] }))

  test.each<[string, (raw: string, secret: string) => string]>([
    ['no signature', () => ''],
    ['SHA-1', (body, secret) => `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`],
    ['another secret', (body) => sign('another', body)],
    ['another body', (body, secret) => sign(secret, `${body} `)],
    ['the JSON serialized again', (body, secret) => sign(secret, JSON.stringify(JSON.parse(body), null, 1))],
    ['no hexadecimal digits', () => `sha256=${'z'.repeat(64)}`],
  ])('%s', async (_what, signature) => {
    const before = await rows()
    expectProblem(
      await update(raw(), { signature: signature(raw(), state().meta_shared_app_secret) }),
      403,
      'invalid_signature',
    )
    expect(await rows()).toBe(before)
  })

  test('a body that was cut, that is no JSON, or too large', async () => {
    const before = await rows()
    const whole = raw()
    const signature = sign(state().meta_shared_app_secret, whole)
    expectProblem(await update(whole.slice(0, -20), { signature }), 403, 'invalid_signature')
    expectProblem(await update('{"object":'), 400, 'invalid_json')
    expectProblem(await update('[1]'), 422, 'validation_failed')
    const { status } = await update(`"${'x'.repeat(5 * 1024 * 1024)}"`)
    expect(status).toBe(413)
    expect(await rows()).toBe(before)
    expect((await update('{"object":"page","entry":7}')).status).toBe(200)
  })
})

test('receipts and STOPs are taken while dispatch is down, and count once it is back', async () => {
  const message = await silentMessage()
  await Promise.all([env.kill('dispatch-api'), env.kill('dispatch-worker')])
  const from = message.phone.slice(1)
  const raw = envelope(
    ofNumber({ statuses: [message.status('delivered')] }),
    ofNumber({ messages: [{ id: 'wamid.stop', from, type: 'text', text: { body: 'STOP' } }] }),
  )
  expect((await update(raw)).status).toBe(200)
  await untilConsent(env, message.phone, { status: 'revoked' })
  await Promise.all([env.restart('dispatch-api'), env.restart('dispatch-worker')])
  await untilState(env, message.id, { delivery_status: 'delivered' }, 20_000)
})

const stopOf = (phone: string, id: string) =>
  envelope(ofNumber({ messages: [{ id, from: phone.slice(1), type: 'text', text: { body: 'STOP' } }] }))

test('a STOP that consent held when it was killed counts as soon as consent is back', async () => {
  const phone = freshPhone()
  await optIn(env, phone)
  await using bus = await openBus(env)
  await env.kill('consent', 'SIGSTOP')
  expect((await update(stopOf(phone, 'wamid.held'))).status).toBe(200)
  await eventually(async () => {
    const { num_ack_pending } = await bus.jsm.consumers.info(streams.callbacks.name, 'consent-message-received')
    expect(num_ack_pending).toBeGreaterThan(0)
  })
  await env.kill('consent')
  await env.restart('consent')
  await eventually(async () => expect(await consentOf(env, phone)).toMatchObject({ status: 'revoked' }))
}, 60_000)

test('a STOP overtakes the receipts that wait after an outage of NATS', async () => {
  const phone = freshPhone()
  await optIn(env, phone)
  await env.kill('nats')
  await env.admin.query(
    `insert into callbacks.outbox (subject, events) select 'callbacks.receipt.email', '[]' from generate_series(1, 1000)`,
  )
  expect((await update(stopOf(phone, 'wamid.urgent'))).status).toBe(200)
  await env.restart('nats')
  await untilConsent(env, phone, { status: 'revoked' })
  await eventually(
    async () => {
      const { rows: waiting } = await env.admin.query('select from callbacks.outbox where published_at is null')
      expect(waiting).toEqual([])
    },
    { timeoutMs: 30_000 },
  )
  const { rows: sooner } = await env.admin.query(
    `select from callbacks.outbox where events = '[]' and published_seq <
       (select published_seq from callbacks.outbox where subject = 'callbacks.message.received' order by id desc limit 1)`,
  )
  // The batch that the relay was publishing.
  expect(sooner.length).toBeLessThanOrEqual(128)
}, 60_000)

test('a STOP survives kill -9 at every step of its way, and is recorded once', async () => {
  const phones = Array.from({ length: 30 }, () => freshPhone())
  await Promise.all(phones.map((phone) => optIn(env, phone)))
  const stop = (phone: string) =>
    env.call('carrier-sandbox', 'POST', '/inbound', { body: { channel: 'whatsapp', from: phone, body: 'STOP' } })
  await Promise.all(phones.slice(0, 10).map(stop))
  // Callbacks dies with requests under way: the carrier repeats them.
  await env.kill('callbacks')
  await Promise.all(phones.slice(10, 15).map(stop))
  await env.restart('callbacks')
  // What is committed has not been published, or not been taken.
  await Promise.all(phones.slice(15, 20).map(stop))
  await env.kill('nats')
  await Promise.all(phones.slice(20, 25).map(stop))
  await env.kill('consent')
  await env.restart('nats')
  await env.kill('callbacks')
  await env.restart('callbacks')
  await Promise.all(phones.slice(25).map(stop))
  await env.restart('consent')
  await eventually(
    async () => {
      const { rows: stops } = await env.admin.query(
        `select recipient_index, count(*)::int as n from consent.consent_entries where action = 'opt_out' and source = 'reply'
         and recipient_index in (select recipient_index from consent.consent_entries where action = 'opt_in')
         group by recipient_index`,
      )
      expect(stops.length).toBeGreaterThanOrEqual(phones.length)
      expect(stops.every(({ n }) => n === 1)).toBe(true)
    },
    { timeoutMs: 60_000 },
  )
  for (const phone of phones) await untilConsent(env, phone, { status: 'revoked' })
}, 120_000)
