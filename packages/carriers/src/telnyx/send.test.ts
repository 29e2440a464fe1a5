import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { telnyxSender } from './send.ts'

test('the address of the webhook carries the correlation, and a request has only fields of the API', async () => {
  const bodies: unknown[] = []
  const { sender, ids, stop } = await senderAt(telnyxSender, async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
    response.end('{"data":{"id":"message-1"}}')
  })
  const id = newId('prov')
  const credentials = { api_key: 'KEY', from: '+15005550006' }
  const message = { to: '+15551234567', text: 'Hi', mode: 'live', ...ids, traceparent: undefined }
  await sender.send({ id, revision: 1, credentials } as never, message as never)
  stop()
  const query = `notification_id=${ids.notificationId}&attempt_id=${ids.attemptId}&mac=[\\w-]{43}`
  const webhook_url = expect.stringMatching(new RegExp(`^https://notify.example.com/.*/telnyx/${id}\\?${query}$`))
  expect(bodies).toEqual([{ from: credentials.from, to: message.to, text: 'Hi', webhook_url }])
})
