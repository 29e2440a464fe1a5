import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { accepted, type CarrierAccount, type SenderOptions, type SendingCarrier } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { parseAllowList } from '@notify/egress-guard'
import { z } from 'zod'
import type { Provider } from '../../catalogue/providers/provider-directory.ts'
import type { Config } from '../../config.ts'
import type { CarrierMessage, Carriers } from './carrier.ts'
import { createCarriers } from './create-carriers.ts'

/** Every carrier at once, and the sandbox: takes whatever comes, and keeps where it came to. */
const paths: (string | undefined)[] = []
const server = createServer((request, response) => {
  paths.push(request.url?.split('?')[0])
  request.resume().on('end', () => {
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ sid: 'SM1', MessageId: 'ses-1' }))
  })
})
let carriers: Carriers
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  carriers = createCarriers({
    PUBLIC_URL: 'https://api.example.com',
    TWILIO_API_URL: `${url}/twilio-live`,
    SES_API_URL: `${url}/ses-live`,
    CARRIER_SANDBOX_URL: `${url}/sandbox`,
    CARRIER_TIMEOUT: 10_000,
    SEND_CONCURRENCY: 2,
    BULK_CONCURRENCY: 2,
    EMAIL_CONCURRENCY: 2,
    EMAIL_BULK_CONCURRENCY: 2,
    SMTP_EGRESS_ALLOW: parseAllowList('127.0.0.1:1'),
  } as Config)
})
afterAll(() => {
  carriers.close()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  paths.length = 0
})

const sid = `AC${'0'.repeat(32)}`
const known = { id: newId('prov'), tenantId: newId('ten'), revision: 1 }
const from = 'orders@example.com'
const ses = { region: 'eu-west-1', access_key_id: 'A'.repeat(20), secret_access_key: 'x'.repeat(40), from }
type Kind = 'twilio' | 'ses' | 'smtp'
const providers: Record<Kind, Provider> = {
  twilio: {
    ...known,
    kind: 'twilio',
    credentials: { account_sid: sid, auth_token: 'f'.repeat(32), from: '+15005550006' },
  },
  ses: { ...known, kind: 'ses', credentials: ses },
  // Port 1: an SMTP connection is refused at once.
  smtp: {
    ...known,
    kind: 'smtp',
    credentials: { host: '127.0.0.1', port: '1', security: 'none', from, from_name: 'Shop' },
  },
}
const correlation = { notificationId: newId('notif'), attemptId: newId('att'), traceparent: undefined }
const sms = (mode: 'live' | 'test'): CarrierMessage => ({
  ...correlation,
  channel: 'sms',
  mode,
  to: '+15551230001',
  text: 'Hi',
})
const email = (mode: 'live' | 'test'): CarrierMessage => ({
  ...correlation,
  channel: 'email',
  mode,
  to: 'a@b.example',
  subject: 'Hi',
  text: 'Hi',
})

const twilioPath = `/2010-04-01/Accounts/${sid}/Messages.json`
const sesPath = '/v2/email/outbound-emails'

test.each<[Kind, CarrierMessage, string, string]>([
  ['twilio', sms('live'), `/twilio-live${twilioPath}`, 'SM1'],
  ['twilio', sms('test'), `/sandbox/twilio${twilioPath}`, 'SM1'],
  ['ses', email('live'), `/ses-live${sesPath}`, 'ses-1'],
  ['ses', email('test'), `/sandbox/ses${sesPath}`, 'ses-1'],
  ['smtp', email('test'), `/sandbox/ses${sesPath}`, 'ses-1'],
])('%s sends %j to %s', async (kind, message, path, id) => {
  expect(await carriers.send(providers[kind], message)).toMatchObject({ outcome: 'accepted', providerMessageId: id })
  expect(paths).toEqual([path])
})

test('a live email of an SMTP provider goes to its server alone', async () => {
  expect(await carriers.send(providers.smtp, email('live'))).toMatchObject({ code: 'ECONNREFUSED' })
  expect(paths).toEqual([])
})

test.each<[Kind, CarrierMessage]>([
  ['twilio', email('live')],
  ['ses', sms('live')],
  ['smtp', sms('test')],
])('%s sends nothing of another channel', async (kind, message) => {
  expect(await carriers.send(providers[kind], message)).toMatchObject({
    outcome: 'rejected_permanent',
    code: 'wrong_channel',
  })
  expect(paths).toEqual([])
})

test('a carrier that a table adds is sent through, with its credentials and variables alone', async () => {
  const seen: unknown[] = []
  const pigeon: SendingCarrier = {
    channel: 'webhook',
    credentials: z.object({ ring: z.string() }),
    environment: { PIGEON_LOFT: z.string() },
    createSender: ({ environment }: SenderOptions<{ PIGEON_LOFT: string }>) => ({
      async send({ credentials }: CarrierAccount<{ ring: string }>, { to }: { to: string }) {
        seen.push(environment, credentials, to)
        return accepted('coo')
      },
      close: () => {},
    }),
  }
  const config = { PUBLIC_URL: 'https://api.example.com', PIGEON_LOFT: 'roof', CARRIER_TIMEOUT: 1000 } as unknown
  const table = createCarriers(config as Config, { pigeon })
  const message: CarrierMessage = { ...sms('live'), channel: 'webhook' }
  const provider = { ...known, kind: 'pigeon', credentials: { ring: 'blue' } }
  expect(await table.send(provider, message)).toMatchObject({ providerMessageId: 'coo' })
  expect(seen).toEqual([{ PIGEON_LOFT: 'roof' }, { ring: 'blue' }, message.to])
  expect(await table.send(providers.twilio, sms('live'))).toMatchObject({ code: 'wrong_channel' })
})
