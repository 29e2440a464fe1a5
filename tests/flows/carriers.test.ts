import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { asOperator, expectProblem, post, postUntilTaken, untilState } from '@notify/test-kit/api'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

const from = 'shop@example.com'
const number = '+15005550006'
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const vonage = {
  api_key: 'abcd0001',
  api_secret: 'secret-of-the-flow',
  application_id: 'aaaaaaaa-bbbb-4ccc-8ddd-000000000001',
  signature_secret: 'signature-secret-of-the-flow',
}

interface Carrier {
  channel: 'sms' | 'email'
  /** What carrier and service both know, and what each knows alone. */
  account: Record<string, string>
  atCarrier?: Record<string, string>
  atProvider?: Record<string, string>
}

const carriers: Record<string, Carrier> = {
  sendgrid: { channel: 'email', account: { api_key: 'SG.key-of-the-flow' }, atProvider: { from } },
  postmark: {
    channel: 'email',
    account: { server_token: 'token-of-the-flow', webhook_password: 'password-of-the-flow' },
    atProvider: { from },
  },
  mailgun: {
    channel: 'email',
    account: { api_key: 'key-of-the-flow', domain: 'mg.example.com', webhook_signing_key: 'signing-key-of-the-flow' },
    atProvider: { from },
  },
  resend: {
    channel: 'email',
    account: { api_key: 're_key_of_the_flow', signing_secret: `whsec_${Buffer.alloc(24, 'flow').toString('base64')}` },
    atProvider: { from },
  },
  vonage: {
    channel: 'sms',
    account: vonage,
    atCarrier: { public_key: rsa.publicKey },
    atProvider: { private_key: rsa.privateKey, from: number },
  },
  telnyx: { channel: 'sms', account: { api_key: 'KEY-of-the-flow' }, atProvider: { from: number } },
  bird: {
    channel: 'sms',
    account: {
      access_key: 'access-key-of-the-flow',
      workspace_id: '18c67992-c7ba-470d-9189-da495ab636a6',
      channel_id: 'bca1c70c-bf08-4832-b821-459cc85e8fcc',
      signing_key: 'signing-key-of-the-flow',
    },
  },
}

const operator = (method: string, path: string, body?: object) =>
  asOperator(env, method, `/api/v1${path}`, body && { body })

/** Connects an account as an operator does: the carrier is given the address of the provider, and the provider the key of the carrier. */
async function connect(kind: string, { channel, account, atCarrier, atProvider }: Carrier) {
  const credentials = { ...account, ...atProvider }
  const provider = { channel, kind, name: kind, priority: 0, credentials }
  const { status, body } = await operator('POST', '/providers', provider)
  expect([status, body.errors]).toEqual([201, undefined])
  expect(body.callback_url).toBe(`${env.stack.url('gateway')}/api/v1/callbacks/carriers/${kind}/${body.provider_id}`)
  const opened = await env.call('carrier-sandbox', 'POST', '/accounts', {
    body: { carrier: kind, account: { ...account, ...atCarrier, webhook_url: body.callback_url } },
  })
  expect(opened.status).toBe(201)
  const { carrier: _, ...shown } = opened.body
  if (Object.keys(shown).length > 0) await operator('PATCH', `/providers/${body.provider_id}`, { credentials: shown })
  return body.provider_id as string
}

test.each(Object.entries(carriers))(
  '%s is connected and checked, a message goes through it, and its signed receipt makes it delivered',
  async (kind, carrier) => {
    const provider_id = await connect(kind, carrier)
    expect((await operator('POST', `/providers/${provider_id}/test`)).body).toMatchObject({ ok: true, code: null })
    const message = (ending?: string) =>
      carrier.channel === 'sms'
        ? smsTo(freshPhone(ending))
        : emailTo(ending ? `bounce+${kind}@example.com` : freshAddress())
    // Providers are known everywhere within a second.
    await eventually(async () => {
      const accepted = await post(env, message())
      expect([accepted.status, accepted.body.errors]).toEqual([202, undefined])
      const state = await untilState(env, accepted.body.notification_id, { delivery_status: 'delivered' })
      expect(state.attempts).toMatchObject([{ number: 1, outcome: 'accepted', provider_id }])
    })
    const failing = await post(env, message('0002'))
    await untilState(env, failing.body.notification_id, { delivery_status: 'undelivered' })
    if (carrier.channel === 'sms') await expectStop(kind)
    expect((await operator('DELETE', `/providers/${provider_id}`)).status).toBe(204)
  },
)

/** A person writes STOP to a number of the carrier, and is suppressed. */
async function expectStop(carrier: string) {
  const phone = freshPhone()
  const body = { channel: 'sms', from: phone, body: 'Stop.', carrier }
  expect((await env.call('carrier-sandbox', 'POST', '/inbound', { body })).status).toBe(202)
  await eventually(async () => {
    expectProblem(await post(env, smsTo(phone)), 422, 'recipient_suppressed')
  })
}

test('a kind that is not called at such an address, and a provider of another kind, are not found', async () => {
  const provider_id = env.stack.state.ses_provider_id
  for (const kind of ['ses', 'sendgrid', 'constructor']) {
    const answer = await env.api('POST', `/api/v1/callbacks/carriers/${kind}/${provider_id}`, { key: null, body: [] })
    expectProblem(answer, 404, 'not_found')
  }
})

test('providers of equal priority share the messages by weight, also between kinds', async () => {
  const { twilio_provider_id } = env.stack.state
  const telnyx = carriers.telnyx!
  const id = await connect('telnyx', { ...telnyx, account: { api_key: 'KEY-of-the-weights' } })
  const { body: first } = await operator('GET', `/providers/${twilio_provider_id}`)
  const weighted = { priority: first.priority, weight: first.weight / 4 }
  expect((await operator('PATCH', `/providers/${id}`, weighted)).status).toBe(200)
  const shareOf = async (count: number) => {
    const ids: string[] = []
    while (ids.length < count) {
      const requests = Array.from({ length: 100 }, () => smsTo(freshPhone('0008'), { priority: 'bulk' }))
      const { body } = await postUntilTaken(env, '/api/v1/notifications/batch', { requests })
      ids.push(...body.results.map((result: { notification_id: string }) => result.notification_id))
    }
    const attempts = `select provider_id, count(*)::int from dispatch.attempts
      where notification_id = any($1) and outcome = 'accepted' group by 1`
    return eventually(
      async () => {
        const { rows } = await env.admin.query(attempts, [ids])
        const counts = Object.fromEntries(rows.map((row) => [row.provider_id, row.count]))
        expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(count)
        const [twilio = 0, other = 0] = [counts[twilio_provider_id], counts[id]]
        return { share: other / count, strangers: count - twilio - other }
      },
      { timeoutMs: 60_000 },
    )
  }
  // A sender knows changes within a second: until then the provider of the test before may send, and not yet this one.
  await eventually(async () => {
    const { share, strangers } = await shareOf(100)
    expect([share > 0, strangers]).toEqual([true, 0])
  })
  const count = 600
  const wanted = 0.2
  // Four standard deviations of a binomial share; the shares are more even than that.
  const bound = 4 * Math.sqrt((wanted * (1 - wanted)) / count)
  const { share, strangers } = await shareOf(count)
  expect(strangers).toBe(0)
  expect(Math.abs(share - wanted)).toBeLessThan(bound)
  expect((await operator('DELETE', `/providers/${id}`)).status).toBe(204)
})
