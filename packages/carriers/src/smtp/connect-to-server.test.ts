import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { nothingAllowed, parseAllowList } from '@notify/egress-guard'
import { connectToServer } from './connect-to-server.ts'

test.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '0.0.0.0'])(
  'a mail server at %s is not connected to, and the error does not name it',
  async (host) => {
    const refusal = connectToServer({ host, port: '25' }, nothingAllowed, 1000)
    await expect(refusal).rejects.toMatchObject({ code: 'EDESTINATION', message: 'destination not allowed' })
  },
)

test('a listed network may be called, and the system resolves a listed host, also from its hosts file', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  const allowed = parseAllowList(`127.0.0.0/8,localhost:${port}`)
  const socket = await connectToServer({ host: '127.0.0.1', port }, allowed, 1000)
  expect(socket?.remotePort).toBe(Number(port))
  socket!.destroy()
  for (const host of ['localhost', 'LOCALHOST']) {
    expect(await connectToServer({ host, port }, allowed, 1000)).toBeUndefined()
  }
  server.close()
})
