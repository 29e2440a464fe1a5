import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { telnyxSender } from './send.ts'

test('the address of the webhook carries the correlation, and a request has only fields of the API', async () => {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.end('{"data":{"id":"message-1"}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = telnyxSender.createSender({
    timeoutMs: 2000,
    maxConnections: 1,
    publicUrl: 'https://notify.example.com',
    sandboxUrl: undefined,
    environment: { CARRIER_STAND_IN_URL: url },
  })
  const [id, notificationId, attemptId] = [newId('prov'), newId('notif'), newId('att')]
  const credentials = { api_key: 'KEY', from: '+15005550006' }
  const message = { to: '+15551234567', text: 'Hi', mode: 'live', notificationId, attemptId, traceparent: undefined }
  await sender.send({ id, revision: 1, credentials } as never, message as never)
  sender.close()
  server.close()
  const query = `notification_id=${notificationId}&attempt_id=${attemptId}&mac=[\\w-]{43}`
  const webhook_url = expect.stringMatching(new RegExp(`^https://notify.example.com/.*/telnyx/${id}\\?${query}$`))
  expect(bodies).toEqual([{ from: credentials.from, to: message.to, text: 'Hi', webhook_url }])
})
