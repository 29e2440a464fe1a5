import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Domain } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { asOperator, postUntilTaken, untilState } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress, sendEmail } from '@notify/test-kit/email'

/** What happens to a call of Amazon SES on its way to the sandbox; undefined: it goes on. */
type Fault = (call: IncomingMessage, response: ServerResponse) => 'pass' | undefined

let fault: Fault | undefined
let sesCalls: string[] = []
let sandboxUrl = ''
const server = createServer((call, response) => {
  sesCalls.push(`${call.method} ${call.url}`)
  if (fault && fault(call, response) !== 'pass') return
  const { method, url, headers } = call
  // The signature covers the host, so the headers stay.
  const onward = request(`${sandboxUrl}${url}`, { method: method!, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  call.pipe(onward.on('error', () => response.destroy()))
})

let env: TestEnv
let sesId: string
let postmarkId: string
/** Longer than a receipt takes on a busy machine. */
const graceMs = 4000
const account = {
  server_token: 'server-token-of-the-flow',
  account_token: 'account-token-of-the-flow',
  webhook_password: 'password-of-the-flow',
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatch = {
    SES_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ses`,
    // Longer than an answer takes on a busy machine.
    CARRIER_TIMEOUT: '8s',
    UNKNOWN_GRACE: `${graceMs}ms`,
    SEND_RETRY_DELAYS: '1s,1s,1s,1s,1s,1s',
    DOMAIN_RECHECK_FIRST: '1s',
  }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch },
  })
  sandboxUrl = env.stack.url('carrier-sandbox')
  sesId = env.stack.state.ses_provider_id
  const credentials = { ...account, from: 'shop@example.com' }
  const provider = { channel: 'email', kind: 'postmark', name: 'Second', priority: 50, credentials }
  const { body } = await operator('POST', '/providers', provider)
  postmarkId = body.provider_id
  const opened = { ...account, webhook_url: body.callback_url }
  const answer = await env.call('carrier-sandbox', 'POST', '/accounts', {
    body: { carrier: 'postmark', account: opened },
  })
  expect(answer.status).toBe(201)
})
afterAll(async () => {
  await env?.stop()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  fault = undefined
})

const operator = (method: string, path: string, body?: object) =>
  asOperator(env, method, `/api/v1${path}`, body && { body })

const isSend = ({ url = '' }: IncomingMessage) => url.endsWith('/outbound-emails')

/** Refuses sends as SES does. */
const refuses =
  (status: number, type: string): Fault =>
  (call, response) => {
    if (!isSend(call)) return 'pass'
    call.resume()
    response.writeHead(status, { 'x-amzn-errortype': type, 'content-type': 'application/json' }).end('{"message":"no"}')
    return undefined
  }

type Attempt = Record<'provider_id' | 'outcome' | 'provider_code', string>
/** Attempts as `ses rejected_retryable ServiceUnavailable`. */
const trail = ({ attempts }: { attempts: Attempt[] }) =>
  attempts.map(({ provider_id, outcome, provider_code }) =>
    [
      provider_id === sesId ? 'ses' : provider_id === postmarkId ? 'postmark' : provider_id,
      outcome,
      provider_code ?? '',
    ]
      .join(' ')
      .trim(),
  )
const messagesTo = (to: string) => env.messages({ to, channel: 'email' })

/** Circuit breakers of earlier tests are closed again. */
const untilSesWorks = () =>
  eventually(async () => {
    const state = await untilState(env, await sendEmail(env, emailTo(freshAddress())), {
      delivery_status: 'delivered',
    })
    expect(trail(state)).toEqual(['ses accepted'])
  })

describe('of two kinds the first by priority sends, and', () => {
  beforeEach(untilSesWorks)

  test.each<[string, Fault, string]>([
    ['is not available', refuses(503, 'ServiceUnavailable'), 'ServiceUnavailable'],
    ['refuses the credentials', refuses(403, 'UnrecognizedClientException'), 'UnrecognizedClientException'],
  ])('when it %s the message goes by the other at once', async (_what, first, code) => {
    fault = first
    const to = freshAddress()
    const state = await untilState(env, await sendEmail(env, emailTo(to)), { delivery_status: 'delivered' })
    expect(trail(state)).toEqual([`ses rejected_retryable ${code}`, 'postmark accepted'])
    expect(await messagesTo(to)).toHaveLength(1)
  })

  test('when its circuit is open it is not called, and messages go by the other in one attempt', async () => {
    fault = refuses(503, 'ServiceUnavailable')
    // As many failures as open a circuit.
    await Promise.all(
      Array.from({ length: 30 }, () => postUntilTaken(env, '/api/v1/notifications', emailTo(freshAddress()))),
    )
    await eventually(async () => {
      sesCalls = []
      const state = await untilState(env, await sendEmail(env, emailTo(freshAddress())), {
        delivery_status: 'delivered',
      })
      expect(trail(state)).toEqual(['postmark accepted'])
      expect(sesCalls.filter((call) => call.endsWith('/outbound-emails'))).toEqual([])
    })
  })

  test.each<[string, Fault]>([
    ['does not answer', (call) => (isSend(call) ? void call.resume() : 'pass')],
    ['fails with the message in its hands', refuses(500, 'InternalFailure')],
  ])('when it %s the outcome is unknown, and a campaign is never sent twice', async (_what, first) => {
    fault = first
    const to = freshAddress()
    const id = await sendEmail(env, emailTo(to, { priority: 'bulk' }))
    const state = await untilState(env, id, { delivery_status: 'failed', retryable: true })
    expect(trail(state)).toEqual([expect.stringMatching(/^ses unknown/)])
    expect(state.failure_reason).toMatch(/unknown/)
    expect(await messagesTo(to)).toEqual([])
  })

  test('when it takes a message without an answer, its receipt within the grace keeps the message from the other', async () => {
    fault = (call, response) => {
      if (!isSend(call)) return 'pass'
      // It goes on to the sandbox, whose answer is lost.
      response.writeHead = () => response
      response.write = () => true
      response.end = () => response
      return 'pass'
    }
    const to = freshAddress()
    const state = await untilState(env, await sendEmail(env, emailTo(to)), { delivery_status: 'delivered' })
    expect(trail(state).map((line) => line.split(' ')[0])).toEqual(['ses'])
    fault = undefined
    await untilSesWorks()
    expect(await messagesTo(to)).toHaveLength(1)
  })
})

test('a repetition after an unknown outcome is sent once by a carrier that takes keys', async () => {
  const tenantId = await addEmptyTenant(env)
  const token = operatorToken(env, { tenant_id: tenantId, permissions: ['providers:manage'] })
  const { applicationId, apiKey } = await addApplication(env, tenantId)
  const account = { api_key: 're_key_of_the_flow', from: 'shop@example.com' }
  const provider = {
    channel: 'email',
    kind: 'resend',
    name: 'Keys',
    application_id: applicationId,
    credentials: account,
  }
  expect((await env.api('POST', '/api/v1/providers', { token, body: provider })).status).toBe(201)
  // Without an address of webhooks no receipt ends the uncertainty.
  const secret = `whsec_${Buffer.from('secret of the flow').toString('base64')}`
  const opened = { carrier: 'resend', account: { api_key: account.api_key, signing_secret: secret } }
  expect((await env.call('carrier-sandbox', 'POST', '/accounts', { body: opened })).status).toBe(201)
  const to = freshAddress('timeout')
  const { body } = await env.api('POST', '/api/v1/notifications', { key: apiKey, body: emailTo(to) })
  await eventually(async () => {
    const state = await env.api('GET', `/api/v1/notifications/${body.notification_id}`, { key: apiKey })
    expect(state.body).toMatchObject({
      delivery_status: 'sent',
      attempts: [{ outcome: 'unknown' }, { outcome: 'accepted' }],
    })
  })
  expect(await messagesTo(to)).toHaveLength(1)
})

describe('a sending domain', () => {
  const domainOf = async (id: string): Promise<Domain> => (await operator('GET', `/domains/${id}`)).body
  const standings = ({ carriers }: Domain) => Object.fromEntries(carriers.map(({ kind, status }) => [kind, status]))

  test('has the records of all carriers in one list, and is sent from by the carriers that have verified it', async () => {
    await untilSesWorks()
    const held: Fault = (call, response) => {
      if (!call.url?.includes('/identities')) return 'pass'
      call.resume()
      response.writeHead(429, { 'x-amzn-errortype': 'TooManyRequestsException' }).end('{"message":"slowly"}')
      return undefined
    }
    fault = held
    const added = await operator('POST', '/domains', { domain: 'mail.two-carriers.example' })
    expect(added.status).toBe(201)
    const { domain_id, domain } = added.body as Domain
    const shown = await eventually(async () => {
      const one = await domainOf(domain_id)
      expect(one.records.filter(({ needed_by }) => needed_by.includes(postmarkId as never))).toMatchObject([
        { purpose: 'dkim', type: 'TXT', status: 'pending' },
        { purpose: 'mail_from', type: 'CNAME', name: `pm-bounces.${domain}`, status: 'pending' },
      ])
      return one
    })
    expect(standings(shown)).toEqual({ ses: 'pending', postmark: 'pending' })
    expect(shown.records.find(({ purpose }) => purpose === 'dkim')?.needed_by).toEqual([sesId])
    expect(new Set(shown.records.map(({ type, name, value }) => `${type} ${name} ${value}`)).size).toBe(
      shown.records.length,
    )
    const put = await env.call('carrier-sandbox', 'PUT', '/dns', { body: { records: shown.records } })
    expect(put.status).toBe(200)
    await operator('POST', `/domains/${domain_id}/verify`)
    await eventually(async () => {
      const one = await domainOf(domain_id)
      expect([one.status, standings(one)]).toEqual(['verified', { ses: 'pending', postmark: 'verified' }])
      const ofPostmark = one.records.filter(({ needed_by }) => needed_by.includes(postmarkId as never))
      expect(ofPostmark.map(({ status }) => status)).toEqual(['verified', 'verified'])
    })
    const send = async () => {
      const state = await untilState(env, await sendEmail(env, emailTo(freshAddress(), { from: `hello@${domain}` })), {
        delivery_status: 'delivered',
      })
      return trail(state)
    }
    // The first by priority has not verified the domain, so it is passed over.
    await eventually(async () =>
      expect(await send()).toEqual(['ses rejected_retryable domain_not_verified', 'postmark accepted']),
    )
    fault = undefined
    await eventually(async () => {
      await operator('POST', `/domains/${domain_id}/verify`)
      expect(standings(await domainOf(domain_id))).toEqual({ ses: 'verified', postmark: 'verified' })
    })
    await eventually(async () => expect(await send()).toEqual(['ses accepted']))
    expect((await operator('DELETE', `/domains/${domain_id}`)).status).toBe(204)
  })

  test('that two tenants have at one account of a carrier stays there until both have removed it', async () => {
    const token = operatorToken(env, {
      tenant_id: await addEmptyTenant(env),
      permissions: ['providers:manage', 'domains:manage'],
    })
    const other = (method: string, path: string, body?: object) =>
      env.api(method, `/api/v1${path}`, { token, ...(body && { body }) })
    const credentials = { ...account, from: 'shop@example.com' }
    await other('POST', '/providers', { channel: 'email', kind: 'postmark', name: 'Theirs', priority: 50, credentials })
    const name = 'mail.shared.example'
    const registered = async (call: typeof operator) => {
      const { domain_id } = (await call('POST', '/domains', { domain: name })).body as Domain
      await eventually(async () => {
        const { records } = (await call('GET', `/domains/${domain_id}`)).body as Domain
        expect(records.map((record) => record.name)).toContain(`pm-bounces.${name}`)
      })
      return domain_id
    }
    const [ours, theirs] = [await registered(operator), await registered(other)]
    const atCarrier = async () => {
      const headers = { 'x-postmark-account-token': account.account_token }
      const { body } = await env.call('carrier-sandbox', 'GET', '/postmark/domains?count=50&offset=0', { headers })
      return body.Domains.filter((domain: { Name: string }) => domain.Name === name).length
    }
    const removed = async (call: typeof operator, id: string) => {
      await call('DELETE', `/domains/${id}`)
      await eventually(async () => {
        const { rows } = await env.admin.query('select from dispatch.domain_identities where domain_id = $1', [id])
        expect(rows).toHaveLength(0)
      })
      return atCarrier()
    }
    expect(await removed(operator, ours)).toBe(1)
    expect(await removed(other, theirs)).toBe(0)
  })
})
