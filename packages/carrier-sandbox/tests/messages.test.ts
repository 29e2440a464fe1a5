import { expect, test } from '@jest/globals'
import { type LoggedMessage, MessageLog } from '../src/messages/message-log.ts'
import { account, basic, listMessages, postMessage, sender, startSandbox } from './harness.ts'

async function send(url: string, To: string, Body: string, headers: Record<string, string> = {}) {
  expect((await postMessage(url, { To, From: sender, Body }, headers)).status).toBe(201)
}

test('messages are listed newest first, decoded, with their request but without its credentials', async () => {
  const { url } = await startSandbox({ CARRIER_DELAY_MS: '60000' })
  await send(url, '+15551230001', 'first')
  await send(url, '+15551230001', 'Grüße & 👍', { 'x-test': 'yes' })
  const { items, total } = await listMessages(url)
  expect(total).toBe(2)
  expect(items.map(({ text }) => text)).toEqual(['Grüße & 👍', 'first'])
  expect(items[0]).toEqual({
    id: expect.stringMatching(/^msg_[0-9a-f]+$/),
    channel: 'sms',
    account: expect.stringMatching(/^AC/),
    to: '+15551230001',
    from: sender,
    text: 'Grüße & 👍',
    provider_message_id: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    error_code: null,
    received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    sent_at: null,
    request: {
      headers: expect.objectContaining({ authorization: '[redacted]', 'x-test': 'yes' }),
      body: { To: '+15551230001', From: sender, Body: 'Grüße & 👍' },
    },
  })
  expect(JSON.stringify(items)).not.toContain(basic(account).slice('Basic '.length))
})

test('messages are found by their exact recipient and by channel', async () => {
  const { url } = await startSandbox()
  await send(url, '+15551230001', 'a')
  await send(url, '+15551230012', 'b')
  await send(url, '+15551230012', 'c')
  const texts = async (query: string) => (await listMessages(url, query)).items.map(({ text }) => text)
  expect(await texts('?to=%2B15551230012')).toEqual(['c', 'b'])
  expect(await texts('?to=+15551230012')).toEqual(['c', 'b'])
  expect(await texts('?to=%2B1555123001')).toEqual([])
  expect(await texts('?channel=sms&to=%2B15551230012&limit=1')).toEqual(['c'])
  expect(await texts('?channel=email')).toEqual([])
  expect(await texts('?to=&channel=')).toEqual(['c', 'b', 'a'])
  expect(await listMessages(url, '?limit=2')).toMatchObject({ total: 3, items: [{ text: 'c' }, { text: 'b' }] })
})

test('a full log drops the oldest messages, everywhere', async () => {
  const { url } = await startSandbox({ MESSAGE_LOG_SIZE: '3' })
  await send(url, '+15551230011', 'out')
  for (const text of ['a', 'b', 'c']) await send(url, '+15551230012', text)
  expect((await listMessages(url)).items.map(({ text }) => text)).toEqual(['c', 'b', 'a'])
  expect((await listMessages(url, '?to=%2B15551230011')).total).toBe(0)
})

test('a log that turns over many times keeps its size and its order', () => {
  const log = new MessageLog(1000)
  for (let i = 0; i < 10_000; i++) {
    log.add({ provider_message_id: `SM${i}`, to: `+${i % 7}`, channel: 'sms' } as LoggedMessage)
  }
  const { items, total } = log.newest({}, 1000)
  expect(total).toBe(1000)
  expect(items.map((message) => message.provider_message_id)).toEqual(
    Array.from({ length: 1000 }, (_, i) => `SM${9999 - i}`),
  )
  expect(log.newest({ to: '+0' }, 1000).items.every(({ to }) => to === '+0')).toBe(true)
  expect([log.findByProviderId('SM8999'), log.findByProviderId('SM9000')]).toEqual([
    undefined,
    expect.objectContaining({ to: '+5' }),
  ])
})

test('clearing leaves no message behind', async () => {
  const { url } = await startSandbox()
  await send(url, '+15551230001', 'a')
  const answer = await fetch(`${url}/messages`, { method: 'DELETE' })
  expect([answer.status, await answer.text()]).toEqual([204, ''])
  expect(await listMessages(url)).toEqual({ items: [], total: 0, channels: [] })
  expect(await listMessages(url, '?to=%2B15551230001')).toEqual({ items: [], total: 0, channels: [] })
})
