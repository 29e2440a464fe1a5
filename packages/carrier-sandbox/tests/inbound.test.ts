import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import twilio from 'twilio'
import { account, startReceiver, startSandbox } from './harness.ts'

const from = '+14155550100'

function post(url: string, body: unknown) {
  return fetch(`${url}/inbound`, { method: 'POST', body: JSON.stringify(body) })
}

async function start() {
  const receiver = await startReceiver()
  const { url } = await startSandbox({ TWILIO_INBOUND_URL: `${receiver.url}/inbound?tenant=a%20b` })
  return { url, receiver }
}

test('an inbound message is reported to the webhook, signed over its address', async () => {
  const { url, receiver } = await start()
  const answer = await post(url, { channel: 'sms', from, body: 'Grüße & mehr' })
  expect(answer.status).toBe(202)
  const accepted = (await answer.json()) as { provider_message_id: string }
  await eventually(() => expect(receiver.received).toHaveLength(1))
  const { path, headers, parameters } = receiver.received[0]!
  expect(parameters).toMatchObject({
    MessageSid: accepted.provider_message_id,
    SmsMessageSid: accepted.provider_message_id,
    SmsStatus: 'received',
    AccountSid: account.sid,
    From: from,
    To: '+15005550006',
    Body: 'Grüße & mehr',
    NumMedia: '0',
    NumSegments: '1',
    ApiVersion: '2010-04-01',
  })
  expect(parameters).not.toHaveProperty('OptOutType')
  const signature = String(headers['x-twilio-signature'])
  expect(twilio.validateRequest(account.authToken, signature, receiver.url + path, parameters)).toBe(true)
  expect(twilio.validateRequest(account.authToken, signature, receiver.url + path, { ...parameters, Body: '' })).toBe(
    false,
  )
})

test.each([
  ['STOP', 'STOP'],
  [' stop ', 'STOP'],
  ['Unsubscribe', 'STOP'],
  ['start', 'START'],
  ['HELP', 'HELP'],
  ['please stop', undefined],
])('%j is what Advanced Opt-Out calls %s', async (body, type) => {
  const { url, receiver } = await start()
  await post(url, { channel: 'sms', from, to: '+15005550007', body })
  await eventually(() => expect(receiver.received).toHaveLength(1))
  expect(receiver.received[0]?.parameters).toMatchObject({ To: '+15005550007', Body: body })
  expect(receiver.received[0]?.parameters.OptOutType).toBe(type)
})

test('an inbound message is repeated until it is answered below 500', async () => {
  const receiver = await startReceiver((res, count) => res.writeHead(count === 1 ? 503 : 200).end())
  const { url } = await startSandbox({ TWILIO_INBOUND_URL: receiver.url })
  await post(url, { channel: 'sms', from, body: 'STOP' })
  await eventually(() => expect(receiver.received).toHaveLength(2))
  const [first, second] = receiver.received
  expect(second?.parameters).toEqual(first?.parameters)
})

test.each([
  ['channel', { channel: 'telegram', from, body: 'STOP' }],
  ['from', { channel: 'sms', from: '415 555 0100', body: 'STOP' }],
  ['from', { channel: 'sms', body: 'STOP' }],
  ['to', { channel: 'sms', from, to: 'us', body: 'STOP' }],
  ['body', { channel: 'sms', from, body: 'x'.repeat(1601) }],
  ['', { channel: 'sms', from, body: 'STOP', media: [] }],
  ['', []],
])('a wrong %s is refused with 422 that names it', async (path, body) => {
  const { url, receiver } = await start()
  const answer = await post(url, body)
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ path }] })
  expect(receiver.received).toEqual([])
})

test('without a webhook an inbound message is refused with 409', async () => {
  const { url } = await startSandbox()
  const answer = await post(url, { channel: 'sms', from, body: 'STOP' })
  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'inbound_not_configured' }),
  ])
})
