import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { vonageSender } from './send.ts'

test('an account keeps its token when its credentials are parsed again, until they change', async () => {
  const tokens: unknown[] = []
  const { sender, ids, stop } = await senderAt(vonageSender, (request, response) => {
    tokens.push(request.headers.authorization)
    response.writeHead(202).end('{"message_uuid":"message-1"}')
  })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const id = newId('prov')
  const message = { to: '+15551234567', text: 'Hi', mode: 'live', ...ids, traceparent: undefined }
  for (const revision of [1, 1, 2]) {
    const credentials = { application_id: 'application', from: '+15005550006', private_key }
    await sender.send({ id, revision, credentials } as never, message as never)
  }
  stop()
  expect(tokens[0]).toMatch(/^Bearer [^.]+[.][^.]+[.][^.]+$/)
  expect(tokens[1]).toBe(tokens[0])
  expect(tokens[2]).not.toBe(tokens[0])
})
