import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createSandbox, readConfig, type Sandbox } from '@notify/carrier-sandbox'
import type { Correlation } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import type { SandboxMessage } from '@notify/dev-env'
import type { Provider } from '../src/catalogue/providers/provider-directory.ts'
import type { EmailPayload } from '../src/channels/email/payload.ts'
import { Config } from '../src/config.ts'
import type { Carriers } from '../src/deliver/call/carrier.ts'
import { createCarriers } from '../src/deliver/call/create-carriers.ts'

const account = { access_key_id: 'AKIA0123456789ABCDEF', secret_access_key: 'secret/of+the/account' }

let sandbox: Sandbox
let carriers: Carriers
beforeAll(async () => {
  sandbox = await createSandbox(
    readConfig({
      PORT: '0',
      DNS_PORT: '0',
      TWILIO_ACCOUNT_SID: `AC${'1'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token-of-the-account',
      SES_ACCESS_KEY_ID: account.access_key_id,
      SES_SECRET_ACCESS_KEY: account.secret_access_key,
      SES_ACCOUNTS: 'SANDBOXSANDBOXSANDBOX:sandbox-sandbox-sandbox',
      SES_CONFIGURATION_SET: 'events',
    }),
  )
  const config = Config.pick({
    PUBLIC_URL: true,
    TWILIO_API_URL: true,
    SES_API_URL: true,
    CARRIER_SANDBOX_URL: true,
    CARRIER_TIMEOUT: true,
    SEND_CONCURRENCY: true,
    BULK_CONCURRENCY: true,
    EMAIL_CONCURRENCY: true,
    EMAIL_BULK_CONCURRENCY: true,
  }).parse({
    PUBLIC_URL: 'https://api.example.com',
    SES_API_URL: `${sandbox.url}/ses`,
    CARRIER_SANDBOX_URL: sandbox.url,
    CARRIER_TIMEOUT: '3s',
  })
  carriers = createCarriers(config as Config)
})
afterAll(async () => {
  carriers?.close()
  await sandbox?.stop()
})

const from = { from: 'orders@example.com', from_name: 'Łukasz’s shop' }
const known = { id: newId('prov'), tenantId: newId('ten'), revision: 1 }
const ses = {
  ...known,
  kind: 'ses' as const,
  credentials: { region: 'eu-west-1', ...account, ...from, configuration_set: 'events' },
}
const smtp: Provider = {
  ...known,
  kind: 'smtp',
  credentials: { host: '127.0.0.1', port: '1', security: 'none', ...from },
}
const emailTo = (to: string, fields: Partial<EmailPayload & Correlation> = {}) => ({
  channel: 'email' as const,
  to,
  subject: 'Your order — “A-1”',
  text: 'Hi Zoë',
  html: '<p>Hi Zoë &amp; co</p>',
  notificationId: newId('notif'),
  attemptId: newId('att'),
  mode: 'live' as const,
  traceparent: undefined,
  ...fields,
})
async function messagesTo(to: string) {
  const answer = await fetch(`${sandbox.url}/messages?to=${encodeURIComponent(to)}`)
  const { items } = (await answer.json()) as {
    items: (SandboxMessage & { request: { body: { EmailTags: object[] } } })[]
  }
  return items
}

test('an email arrives as it was composed, with the tags that come back in its events', async () => {
  const email = emailTo('ada@example.net', { to_name: 'Lovelace, "Ada" 🚲' })
  const answer = await carriers.send(ses, email)
  expect(answer).toMatchObject({ outcome: 'accepted', providerMessageId: expect.any(String) })
  const [message, ...more] = await messagesTo(email.to)
  expect(more).toEqual([])
  expect(message).toMatchObject({
    channel: 'email',
    to: email.to,
    subject: email.subject,
    text: email.text,
    html: email.html,
    provider_message_id: answer.providerMessageId,
  })
  expect(JSON.stringify(message?.from)).toContain('orders@example.com')
  expect(message?.request.body.EmailTags).toEqual([
    { Name: 'notification_id', Value: email.notificationId },
    { Name: 'attempt_id', Value: email.attemptId },
    { Name: 'provider_id', Value: ses.id },
  ])
})

test.each<[string, object]>([
  ['reject', { outcome: 'rejected_permanent', code: 'MessageRejected' }],
  ['fail', { outcome: 'rejected_retryable', code: 'ServiceUnavailable', carrierFault: true }],
  ['timeout', { outcome: 'unknown', carrierFault: true }],
  ['bounce', { outcome: 'accepted' }],
])('%s is reported as what it is', async (localPart, expected) => {
  expect(await carriers.send(ses, emailTo(`${localPart}+test@example.net`))).toMatchObject(expected)
})

test.each([
  ['half of a character', 'Hi \ud83e'],
  ['NUL', 'Hi \0'],
])('an email with %s is refused permanently before any carrier is called', async (_what, text) => {
  for (const provider of [ses, smtp]) {
    const email = emailTo('ill-formed@example.net', { text })
    const answer = await carriers.send(provider, email)
    expect(answer).toMatchObject({ outcome: 'rejected_permanent', code: 'ill_formed_text' })
    expect(answer).not.toHaveProperty('carrierFault')
    expect(await messagesTo(email.to)).toEqual([])
  }
})

test('429 twice with Retry-After, then taken', async () => {
  const email = emailTo('throttle@example.net')
  const limited = { outcome: 'rejected_retryable', code: 'TooManyRequestsException', retryAfterMs: 1000 }
  expect(await carriers.send(ses, email)).toMatchObject(limited)
  expect(await carriers.send(ses, email)).toMatchObject(limited)
  expect(await carriers.send(ses, email)).toMatchObject({ outcome: 'accepted' })
})

test.each<[string, object]>([
  ['a key that nobody has', { access_key_id: 'AKIANOBODYNOBODYNOBO' }],
  ['a wrong secret', { secret_access_key: 'not-the-secret-of-it' }],
  ['a configuration set that is not there', { configuration_set: 'other' }],
])('%s stops the account, not the message', async (_what, change) => {
  const provider = { ...ses, id: newId('prov'), credentials: { ...ses.credentials, ...change } }
  const answer = await carriers.send(provider, emailTo('ada@example.net'))
  expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true })
})

test('a test key’s email goes to the sandbox over whatever provider, and to no mail server', async () => {
  for (const provider of [ses, smtp]) {
    const email = emailTo(`${provider.kind}@example.net`, { mode: 'test' })
    expect(await carriers.send(provider, email)).toMatchObject({ outcome: 'accepted' })
    expect(await messagesTo(email.to)).toHaveLength(1)
  }
})
