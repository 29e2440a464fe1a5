import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { vonageSender } from './send.ts'

test('an account keeps its token when its credentials are parsed again, until they change', async () => {
  const tokens: unknown[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    response.writeHead(202).end('{"message_uuid":"message-1"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = vonageSender.createSender({
    timeoutMs: 2000,
    maxConnections: 1,
    publicUrl: 'https://notify.example.com',
    sandboxUrl: undefined,
    environment: { CARRIER_STAND_IN_URL: url },
  })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const id = newId('prov')
  const ids = { notificationId: newId('notif'), attemptId: newId('att') }
  const message = { to: '+15551234567', text: 'Hi', mode: 'live', ...ids, traceparent: undefined }
  for (const revision of [1, 1, 2]) {
    const credentials = { application_id: 'application', from: '+15005550006', private_key }
    await sender.send({ id, revision, credentials } as never, message as never)
  }
  sender.close()
  server.close()
  expect(tokens[0]).toMatch(/^Bearer [^.]+[.][^.]+[.][^.]+$/)
  expect(tokens[1]).toBe(tokens[0])
  expect(tokens[2]).not.toBe(tokens[0])
})
