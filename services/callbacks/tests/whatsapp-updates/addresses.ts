import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { optIn, untilConsent } from '@notify/test-kit/whatsapp'
import { env, envelope, envelopeOf, ofNumber, rows, sign, silentMessage, state, update } from './stack.ts'

describe('an address of a customer’s own app', () => {
  test('counts for its own number, and not for one of another app', async () => {
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

  test('counts for another number that the tenant connects with the same app, to which Meta posts preferences nowhere else', async () => {
    const { meta_own_provider_id: own, meta_own_waba_id, meta_own_app_secret, meta_access_token } = state()
    const [phone, number] = [freshPhone(), `9${Date.now()}`]
    const credentials = {
      phone_number_id: number,
      business_account_id: meta_own_waba_id,
      access_token: meta_access_token,
      app_secret: meta_own_app_secret,
    }
    const added = await env.api('POST', '/api/v1/providers', {
      token: env.operatorToken,
      body: { channel: 'whatsapp', kind: 'whatsapp_cloud', name: 'Second number', credentials },
    })
    expect(added.status).toBe(201)
    const stop = { wa_id: phone.slice(1), category: 'marketing_messages', value: 'stop', timestamp: 1761548340 }
    const change = { ...ofNumber({ user_preferences: [stop] }, number), field: 'user_preferences' }
    await eventually(async () => {
      const posted = await update(envelopeOf(meta_own_waba_id, change), { own })
      expect([posted.status, posted.body]).toEqual([200, { status: 'recorded' }])
    })
    const path = `/api/v1/providers/${added.body.provider_id}`
    expect((await env.api('DELETE', path, { token: env.operatorToken })).status).toBe(204)
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
