import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { postmarkSender } from './send.ts'

const to = 'ada@example.com'

/** What a send makes of an answer with this sentence. */
async function outcomeOf(Message: string) {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ ErrorCode: 0, Message, MessageID: 'message-1', To: `"Lovelace, Ada" <${to}>` }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = postmarkSender.createSender({
    timeoutMs: 2000,
    maxConnections: 1,
    publicUrl: 'https://notify.example.com',
    sandboxUrl: undefined,
    environment: { CARRIER_STAND_IN_URL: url },
  })
  const [id, notificationId, attemptId] = [newId('prov'), newId('notif'), newId('att')]
  const credentials = { server_token: 'token', from: 'shop@example.com', message_stream: 'outbound' }
  const message = { to, subject: 'Hi', text: 'Hi', mode: 'live', notificationId, attemptId, traceparent: undefined }
  const answer = await sender.send({ id, revision: 1, credentials } as never, message as never)
  sender.close()
  server.close()
  return answer.outcome
}

test('a message that Postmark takes for its copies alone is refused for its recipient', async () => {
  expect(await outcomeOf('OK')).toBe('accepted')
  const partly = 'Message OK, but will not deliver to these inactive addresses:'
  expect(await outcomeOf(`${partly} grace@example.com`)).toBe('accepted')
  expect(await outcomeOf(`${partly} grace@example.com, Ada@example.com`)).toBe('rejected_permanent')
})
