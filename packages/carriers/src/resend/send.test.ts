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
