import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { generate } from 'selfsigned'
import { senderWith } from '../../tests/sender-at.ts'
import { twilioSender } from './send.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const account = {
  id: newId('prov'),
  revision: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a-token', from: '+15005550006' },
}

async function sendTo(url: string, text = 'Hello'): Promise<{ outcome: string }> {
  const { sender, ids, stop } = senderWith(twilioSender, { TWILIO_API_URL: url })
  ends.push(stop)
  const message = { to: '+15550001111', text, ...ids, mode: 'live', traceparent: undefined }
  return sender.send(account as never, message as never)
}

async function portOf(server: Server): Promise<number> {
  server.on('connection', (socket) => ends.push(() => socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

test('a text with half of a character is refused permanently, and is not a fault of the carrier', async () => {
  let requests = 0
  const carrier = createServer(() => requests++)
  const answer = await sendTo(`http://127.0.0.1:${await portOf(carrier)}`, 'Hi \ud83e')
  expect(answer).toMatchObject({ outcome: 'rejected_permanent', message: expect.stringContaining('cannot be written') })
  expect(answer).not.toHaveProperty('carrierFault')
  expect(answer).not.toHaveProperty('providerDown')
  expect(requests).toBe(0)
})

test('a proxy that does not reach the carrier is a temporary refusal: nothing was sent', async () => {
  const asked: (string | undefined)[] = []
  const proxy = createServer().on('connect', ({ url }, socket: Socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  process.env.HTTPS_PROXY = `http://127.0.0.1:${await portOf(proxy)}`
  ends.push(() => delete process.env.HTTPS_PROXY)
  expect(await sendTo('https://api.carrier.invalid')).toMatchObject({
    outcome: 'rejected_retryable',
    carrierFault: true,
  })
  expect(asked).toEqual(['api.carrier.invalid:443'])
})

test('a connection whose encryption fails leaves the outcome unknown', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  ends.push(() => setDefaultCACertificates(trusted))
  let disturb = () => {}
  const carrier = createSecureServer({ key, cert }, () => disturb())
  const port = await portOf(carrier)
  const way = createTcpServer((socket) => {
    disturb = () => socket.write('not encrypted')
    const onwards = connect(port, '127.0.0.1')
    for (const end of [socket, onwards]) end.on('error', () => {})
    socket.pipe(onwards).pipe(socket)
  })
  const answer = await sendTo(`https://localhost:${await portOf(way)}`)
  expect(answer).toMatchObject({ outcome: 'unknown', code: expect.stringMatching(/SSL|SOCKET/) })
})
