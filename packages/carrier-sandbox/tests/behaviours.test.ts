import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { behaviours } from '../src/behaviours.ts'
import { listMessages, postMessage, sender, startReceiver, startSandbox, twilioClient } from './harness.ts'

function messageTo(to: string, statusCallback: string) {
  return { to, from: sender, body: 'Your code is 123456', statusCallback }
}

test.each([
  ['an ordinary number', '+15551230001', ['sent', 'delivered'], 'delivered'],
  ['0002', '+15551230002', ['sent', 'undelivered'], 'undelivered'],
  ['0007', '+15551230007', ['delivered', 'sent', 'delivered', 'sent'], 'delivered'],
])('%s gets its callbacks in order', async (_what, to, statuses, status) => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  await twilioClient(url).messages.create(messageTo(to, receiver.url))
  await eventually(() => expect(receiver.statuses()).toEqual(statuses))
  expect((await listMessages(url)).items).toMatchObject([{ to, status }])
})

test('0002 reports why it was not delivered, in the callback and in the message', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const client = twilioClient(url)
  const { sid } = await client.messages.create(messageTo('+15551230002', receiver.url))
  await eventually(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received.map(({ parameters }) => parameters.ErrorCode)).toEqual([undefined, '30003'])
  expect(await client.messages(sid).fetch()).toMatchObject({ status: 'undelivered', errorCode: 30003 })
})

test('0003 is refused with 21211 and leaves no message', async () => {
  const { url } = await startSandbox()
  const sending = twilioClient(url).messages.create(messageTo('+15551230003', 'http://127.0.0.1:1'))
  await expect(sending).rejects.toMatchObject({ status: 400, code: 21211 })
  expect((await listMessages(url)).total).toBe(0)
})

test('0004 is throttled twice for each number and text, then goes through and starts again', async () => {
  const { url } = await startSandbox()
  const send = async (to: string, Body: string) => {
    const answer = await postMessage(url, { To: to, From: sender, Body })
    if (answer.status === 429) {
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject({ code: 20429, status: 429 })
    }
    return answer.status
  }
  expect([await send('+15551230004', 'a'), await send('+15551230004', 'a')]).toEqual([429, 429])
  expect([await send('+15551230004', 'b'), await send('+15559990004', 'a')]).toEqual([429, 429])
  expect([await send('+15551230004', 'a'), await send('+15551230004', 'a')]).toEqual([201, 429])
  expect((await listMessages(url)).total).toBe(1)
})

test('0005 is delivered although its request is never answered', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const leave = new AbortController()
  const form = { To: '+15551230005', From: sender, Body: 'Hi', StatusCallback: receiver.url }
  let answered = false
  const request = postMessage(url, form, {}, leave.signal).then(() => {
    answered = true
  })
  await eventually(() => expect(receiver.statuses()).toEqual(['sent', 'delivered']))
  expect(answered).toBe(false)
  leave.abort()
  await expect(request).rejects.toMatchObject({ name: 'AbortError' })
  expect((await listMessages(url)).items).toMatchObject([{ to: '+15551230005', status: 'delivered' }])
})

test('0006 is answered 503 every time and leaves no message', async () => {
  const { url } = await startSandbox()
  for (let i = 0; i < 3; i++) {
    const sending = twilioClient(url).messages.create(messageTo('+15551230006', 'http://127.0.0.1:1'))
    await expect(sending).rejects.toMatchObject({ status: 503 })
  }
  expect((await listMessages(url)).total).toBe(0)
})

test('0008 is accepted, and no callback follows', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const client = twilioClient(url)
  const { sid } = await client.messages.create(messageTo('+15551230008', receiver.url))
  // Its callbacks would have come before those of a message sent later.
  await client.messages.create(messageTo('+15551230001', receiver.url))
  await eventually(() => expect(receiver.statuses()).toEqual(['sent', 'delivered']))
  expect(receiver.received.map(({ parameters }) => parameters.MessageSid)).not.toContain(sid)
  expect(await client.messages(sid).fetch()).toMatchObject({ status: 'queued' })
})

test('the README explains every behaviour in the words of the table', async () => {
  const readme = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).replace(/ +/g, ' ')
  for (const { ending, summary } of behaviours) expect(readme).toContain(`| ${ending} | ${summary} |`)
})
