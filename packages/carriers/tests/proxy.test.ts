import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { environmentOf, sendingCarriers } from '@notify/carriers/sending'
import { generate } from 'selfsigned'
import { z } from 'zod'
import type { AccountCheck } from '../src/account-check.ts'
import { type ProviderKind, sendingEnvironment } from '../src/kinds.ts'
import { fetchText } from '../src/ses/fetch-text.ts'

/** Where the API of each kind is. SMTP servers are connected directly. */
const hostOf: Record<Exclude<ProviderKind, 'smtp'>, string> = {
  twilio: 'api.twilio.com',
  whatsapp_cloud: 'graph.facebook.com',
  ses: 'email.eu-west-1.amazonaws.com',
  sendgrid: 'api.sendgrid.com',
  postmark: 'api.postmarkapp.com',
  mailgun: 'api.mailgun.net',
  resend: 'api.resend.com',
  vonage: 'api.nexmo.com',
  telnyx: 'api.telnyx.com',
  bird: 'api.bird.com',
}
const hosts = [...Object.values(hostOf), 'sns.eu-west-1.amazonaws.com']
const trusted = getCACertificates('default')
let proxy: Server
let carrier: Server
/** What the proxy was asked to connect to. */
let asked: string[] = []
const tunnels: Socket[] = []

/** A proxy that leads every name to one server, which has the certificates of all. */
beforeAll(async () => {
  const altNames = [...hosts.map((value) => ({ type: 2 as const, value })), { type: 7 as const, ip: '127.0.0.1' }]
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'carriers' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  setDefaultCACertificates([...trusted, cert])
  carrier = createSecureServer({ key, cert }, (request, response) => {
    response.writeHead(request.url === '/certificate' ? 200 : 418, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ from: request.headers.host }))
  }).listen(0, '127.0.0.1')
  proxy = createServer().on('connect', (request, near: Socket) => {
    asked.push(request.url!)
    const far = connect((carrier.address() as AddressInfo).port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    tunnels.push(near, far)
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await Promise.all([once(carrier, 'listening'), once(proxy, 'listening')])
  process.env.HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
afterAll(() => {
  delete process.env.HTTPS_PROXY
  setDefaultCACertificates(trusted)
  for (const socket of tunnels) socket.destroy()
  for (const server of [carrier, proxy]) {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(() => {
  delete process.env.NO_PROXY
  asked = []
})

const accounts: Record<keyof typeof hostOf, object> = {
  twilio: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a-token-of-twilio', from: '+15005550006' },
  whatsapp_cloud: { phone_number_id: '1', business_account_id: '2', access_token: 'a-token-of-meta' },
  ses: {
    region: 'eu-west-1',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'a-secret-of-amazon',
    from: 'a@example.com',
  },
  sendgrid: { api_key: 'SG.key', region: 'global' },
  postmark: { server_token: 'a-token' },
  mailgun: { api_key: 'a-key', domain: 'example.com', region: 'us' },
  resend: { api_key: 're_key' },
  vonage: { api_key: 'a-key', api_secret: 'a-secret', application_id: crypto.randomUUID() },
  telnyx: { api_key: 'KEY' },
  bird: { access_key: 'a-key', workspace_id: crypto.randomUUID(), channel_id: crypto.randomUUID() },
}
/** What a check says of the answer of this server, and not of a fault on the way. */
const answered = expect.not.stringMatching(/reached|in time/)
const kinds = Object.keys(accounts) as (keyof typeof hostOf)[]

function check(kind: (typeof kinds)[number], variables: object = {}): Promise<AccountCheck> {
  const definition = sendingCarriers[kind]!
  const environment = environmentOf(z.object(sendingEnvironment).parse(variables), definition)
  return definition.check!(accounts[kind] as never, { timeoutMs: 60_000, environment })
}

test.each(Object.entries(hostOf) as [keyof typeof hostOf, string][])(
  '%s is called through the proxy, which sees the name of its host alone',
  async (kind, host) => {
    const { message } = await check(kind)
    expect([asked, message]).toEqual([[`${host}:443`], answered])
  },
)

test.each(kinds)('%s is called directly where NO_PROXY names its host', async (kind) => {
  process.env.NO_PROXY = '127.0.0.1'
  const url = `https://127.0.0.1:${(carrier.address() as AddressInfo).port}`
  const { message } = await check(kind, {
    ...{ TWILIO_API_URL: url, META_API_URL: url, SES_API_URL: url, CARRIER_STAND_IN_URL: url },
  })
  expect([asked, message]).toEqual([[], answered])
})

test("Amazon's certificates are fetched through the proxy", async () => {
  const text = await fetchText(new URL('https://sns.eu-west-1.amazonaws.com/certificate'))
  expect([asked, JSON.parse(text)]).toEqual([
    ['sns.eu-west-1.amazonaws.com:443'],
    { from: 'sns.eu-west-1.amazonaws.com' },
  ])
})
