import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { afterEach } from '@jest/globals'
import twilio from 'twilio'
import { createSandbox, readConfig } from '../src/index.ts'

export const account = { sid: `AC${'1'.repeat(32)}`, authToken: 'first-token' }
export const otherAccount = { sid: `AC${'2'.repeat(32)}`, authToken: 'second-token' }
export const sesAccount = { accessKeyId: 'AKIA0000000000000001', secretAccessKey: 'first/secret+key' }
export const sender = '+15005550006'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A sandbox on a free port that ends with the test. */
export async function startSandbox(env: Record<string, string> = {}) {
  const sandbox = await createSandbox(
    readConfig({
      PORT: '0',
      TWILIO_ACCOUNT_SID: account.sid,
      TWILIO_AUTH_TOKEN: account.authToken,
      TWILIO_ACCOUNTS: `${otherAccount.sid}:${otherAccount.authToken}`,
      SES_ACCESS_KEY_ID: sesAccount.accessKeyId,
      SES_SECRET_ACCESS_KEY: sesAccount.secretAccessKey,
      DNS_PORT: '0',
      CARRIER_DELAY_MS: '1',
      ...env,
    }),
  )
  cleanups.push(() => sandbox.stop())
  return sandbox
}

/** Twilio's own SDK, pointed at the sandbox. */
export function twilioClient(url: string, { sid, authToken } = account) {
  const client = twilio(sid, authToken)
  client.api.baseUrl = `${url}/twilio`
  return client
}

/** Amazon's own SDK, pointed at the sandbox. */
export function sesClient(url: string, credentials = sesAccount, region = 'us-east-1') {
  const client = new SESv2Client({ endpoint: `${url}/ses`, region, credentials, maxAttempts: 1 })
  cleanups.push(async () => client.destroy())
  return client
}

/** A create request without the SDK, for what the SDK would not send. */
export function postMessage(
  url: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) {
  return fetch(`${url}/twilio/2010-04-01/Accounts/${account.sid}/Messages.json`, {
    method: 'POST',
    headers: { authorization: basic(account), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    signal,
  })
}

export function basic({ sid, authToken }: { sid: string; authToken: string }): string {
  return `Basic ${Buffer.from(`${sid}:${authToken}`).toString('base64')}`
}

export async function listMessages(url: string, query = '') {
  return (await (await fetch(`${url}/messages${query}`)).json()) as {
    items: Record<string, string>[]
    total: number
  }
}

/** A callback as it reached the receiver. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  parameters: Record<string, string>
  body: string
}

/** A customer's server that keeps what it receives and answers 204, or as `answer` does. */
export async function startReceiver(answer: (res: ServerResponse, count: number) => void = (res) => noContent(res)) {
  const received: Received[] = []
  const server = createServer(async (req, res) => {
    const body = await text(req)
    const parameters = Object.fromEntries(new URLSearchParams(body))
    received.push({ path: req.url ?? '', headers: req.headers, parameters, body })
    answer(res, received.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    statuses: () => received.map(({ parameters }) => parameters.MessageStatus),
  }
}

export function noContent(res: ServerResponse): void {
  res.writeHead(204).end()
}
