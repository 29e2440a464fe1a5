import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { resendSender } from './send.ts'

test('a repetition has the key and the content of the attempt that it repeats, to the byte', async () => {
  const calls: { key: unknown; body: string }[] = []
  const { sender, ids, stop } = await senderAt(resendSender, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    calls.push({ key: request.headers['idempotency-key'], body })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"message-1"}')
  })
  const account = { id: newId('prov'), revision: 1, credentials: { api_key: 're_key', from: 'shop@example.com' } }
  const email = { to: 'ada@example.com', subject: 'Hi', text: 'Hi', mode: 'live', ...ids }
  const traceparent = (nth: number) => `00-${String(nth).repeat(32)}-${'b'.repeat(16)}-01`
  const second = { attemptId: newId('att'), repeatOf: ids.attemptId, traceparent: traceparent(2) }
  for (const more of [
    { traceparent: traceparent(1) },
    second,
    { attemptId: newId('att'), traceparent: traceparent(3) },
  ])
    expect(await sender.send(account as never, { ...email, ...more } as never)).toMatchObject({ outcome: 'accepted' })
  stop()
  const [first, again, other] = calls
  expect(first!.key).toBe(ids.attemptId)
  expect(again).toEqual(first)
  expect(other!.key).not.toBe(first!.key)
})

test('names go out as Resend takes them: a sender unencoded, and nobody else quoted', async () => {
  let body: Record<string, unknown> = {}
  const { sender, ids, stop } = await senderAt(resendSender, async (request, response) => {
    body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"message-1"}')
  })
  const credentials = { api_key: 're_key', from: 'shop@example.com', from_name: 'Łukasz’s shop' }
  const named = (address: string, name: string) => [{ address, name }]
  const email = {
    ...{ to: 'ada@example.com', to_name: 'Ada Lovelace', subject: 'Hi', text: 'Hi', mode: 'live', ...ids },
    cc: named('grace@example.com', 'Hopper, Grace'),
    bcc: named('audit@example.com', 'Größe'),
    reply_to: named('help@example.com', 'Help'),
  }
  await sender.send({ id: newId('prov'), revision: 1, credentials } as never, email as never)
  stop()
  expect(body).toMatchObject({
    from: 'Łukasz’s shop <shop@example.com>',
    to: ['Ada Lovelace <ada@example.com>'],
    cc: ['=?UTF-8?B?SG9wcGVyLCBHcmFjZQ==?= <grace@example.com>'],
    bcc: ['=?UTF-8?B?R3LDtsOfZQ==?= <audit@example.com>'],
    reply_to: ['Help <help@example.com>'],
  })
})
