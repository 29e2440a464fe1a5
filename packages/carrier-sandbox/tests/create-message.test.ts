import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import {
  account,
  basic,
  listMessages,
  otherAccount,
  postMessage,
  sender,
  startSandbox,
  twilioClient,
} from './harness.ts'

const messagingServiceSid = `MG${'a'.repeat(32)}`
const message = { to: '+15551230001', from: sender, body: 'Hello 👍' }

test('a message is answered 201 with every field of the real answer', async () => {
  const { url } = await startSandbox()
  const answer = await postMessage(url, { To: message.to, From: sender, Body: message.body })
  expect(answer.status).toBe(201)
  const resource = (await answer.json()) as Record<string, unknown>
  expect(resource).toEqual({
    account_sid: account.sid,
    api_version: '2010-04-01',
    body: 'Hello 👍',
    date_created: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/),
    date_sent: null,
    date_updated: resource.date_created,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: sender,
    messaging_service_sid: null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: null,
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    subresource_uris: { media: `/2010-04-01/Accounts/${account.sid}/Messages/${resource.sid}/Media.json` },
    to: message.to,
    uri: `/2010-04-01/Accounts/${account.sid}/Messages/${resource.sid}.json`,
  })
})

test('the SDK reads a message through a messaging service as accepted, without a sender', async () => {
  const { url } = await startSandbox()
  const created = await twilioClient(url).messages.create({ to: message.to, messagingServiceSid, body: 'Hi' })
  expect(created).toMatchObject({ status: 'accepted', from: null, messagingServiceSid, to: message.to })
  expect(created.dateCreated).toBeInstanceOf(Date)
})

test('a message can be fetched in its present state, by its own account only', async () => {
  const { url } = await startSandbox()
  const client = twilioClient(url)
  const { sid } = await client.messages.create(message)
  const fetched = await eventually(async () => {
    const fetched = await client.messages(sid).fetch()
    expect(fetched.status).toBe('delivered')
    return fetched
  })
  expect(fetched.dateSent).toBeInstanceOf(Date)
  const unknown = { status: 404, code: 20404 }
  await expect(twilioClient(url, otherAccount).messages(sid).fetch()).rejects.toMatchObject(unknown)
  await expect(client.messages(`SM${'0'.repeat(32)}`).fetch()).rejects.toMatchObject(unknown)
})

test('several accounts send side by side, each with its own credentials', async () => {
  const { url } = await startSandbox()
  await twilioClient(url, otherAccount).messages.create(message)
  expect((await listMessages(url)).items).toMatchObject([{ account: otherAccount.sid }])
})

test('credentials that are not those of the account in the path are refused with 401 and 20003', async () => {
  const { url } = await startSandbox()
  const wrong = { status: 401, code: 20003, moreInfo: 'https://www.twilio.com/docs/errors/20003' }
  await expect(twilioClient(url, { ...account, authToken: 'wrong' }).messages.create(message)).rejects.toMatchObject(
    wrong,
  )
  const form = { To: message.to, From: sender, Body: 'Hi' }
  for (const authorization of [basic(otherAccount), 'Basic', 'Bearer first-token', 'Basic !!!']) {
    expect((await postMessage(url, form, { authorization })).status).toBe(401)
  }
  expect((await listMessages(url)).total).toBe(0)
})

const form = { To: '+15551230001', From: sender, Body: 'Hi' }
test.each([
  ['no recipient', { ...form, To: '' }, 21604],
  ['no text', { ...form, Body: '' }, 21602],
  ['neither a sender nor a messaging service', { ...form, From: '' }, 21603],
  ['a text of more than 1600 characters', { ...form, Body: 'x'.repeat(1601) }, 21617],
  ['a recipient that is no phone number', { ...form, To: 'Ada' }, 21211],
  ['a callback address that is no URL', { ...form, StatusCallback: '/callbacks' }, 21609],
  ['a callback address that is not for the web', { ...form, StatusCallback: 'file:///etc/passwd' }, 21609],
  ['a validity period of more than ten hours', { ...form, ValidityPeriod: '36001' }, 90007],
  ['a form that is JSON', JSON.stringify(form), 21604],
  ['an empty form', '', 21604],
])('%s is refused as Twilio refuses it', async (_what, body, code) => {
  const { url } = await startSandbox()
  const answer = await postMessage(url, body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({
    code,
    message: expect.any(String),
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status: 400,
  })
  expect((await listMessages(url)).total).toBe(0)
})

test('a text of 1600 characters is accepted, and its segments are counted', async () => {
  const { url } = await startSandbox()
  const client = twilioClient(url)
  const segments = async (body: string) => (await client.messages.create({ ...message, body })).numSegments
  expect(await segments('x'.repeat(1600))).toBe('11')
  expect(await segments('x'.repeat(160))).toBe('1')
  expect(await segments('[{€}]'.repeat(17))).toBe('2')
  expect(await segments('ж'.repeat(71))).toBe('2')
  expect(await segments(`${'a'.repeat(152)}€${'a'.repeat(152)}`)).toBe('3')
  expect(await segments('👍'.repeat(67))).toBe('3')
})
