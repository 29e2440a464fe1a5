import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { nothingAllowed, parseAllowList } from '@notify/egress-guard'
import { connectToServer, hostFault } from './guard-host.ts'

test.each([
  ['127.0.0.1', 'is not a public address'],
  ['10.0.0.7', 'is not a public address'],
  ['169.254.169.254', 'is not a public address'],
  ['localhost', 'must have a public host name'],
  ['mailhost', 'must have a public host name'],
  ['Mail.INTERNAL', 'must have a public host name'],
])('a provider may not name %s as its mail server', async (host, fault) => {
  expect(hostFault({ host, port: '25' }, nothingAllowed)).toBe(`host ${fault}`)
})

test('a private address is not dialled either, and the error does not name it', async () => {
  const refusal = connectToServer({ host: '10.0.0.7', port: '25' }, nothingAllowed, 1000)
  await expect(refusal).rejects.toMatchObject({ code: 'EDESTINATION', message: 'destination not allowed' })
})

test('a public name may be configured, with any port', () => {
  expect(hostFault({ host: 'smtp.Example.com', port: '2525' }, nothingAllowed)).toBeUndefined()
})

test('a listed network may be called; a listed host is left to the system, which knows its hosts file', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  const allowed = parseAllowList(`127.0.0.0/8,localhost:${port}`)
  const socket = await connectToServer({ host: '127.0.0.1', port }, allowed, 1000)
  expect(socket?.remotePort).toBe(Number(port))
  socket!.destroy()
  for (const host of ['localhost', 'LOCALHOST']) {
    expect(hostFault({ host, port }, allowed)).toBeUndefined()
    expect(await connectToServer({ host, port }, allowed, 1000)).toBeUndefined()
  }
  server.close()
})
