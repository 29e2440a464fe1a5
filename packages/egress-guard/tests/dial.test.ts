import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { createEgress, type Egress, parseAllowList } from '../src/index.ts'
import { makeAuthority, startRawReceiver } from './raw-receiver.ts'

const clients: Egress[] = []
afterAll(() => Promise.all(clients.map((client) => client.close())))

/** Posts to a name with these addresses. @returns what became of it */
async function postTo(
  { name, port, ca }: { name: string; port: number; ca?: string },
  addresses: readonly string[],
  deadlineMs: number,
): Promise<string> {
  const resolve = async () => [...addresses]
  const egress = createEgress({ ca, resolve, allowed: parseAllowList(`${name}:${port}`) })
  clients.push(egress)
  const outcome = await egress.post({ url: `https://${name}:${port}/`, headers: {}, body: '{}', deadlineMs })
  return outcome.kind === 'failed' ? `${outcome.reason}: ${outcome.message}` : outcome.kind
}

test('the deadline ends the connection that is being opened, and no further address of the name is dialled', async () => {
  const accepted: (number | undefined)[] = []
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    accepted.push(socket.remotePort)
    socket.on('error', () => {}).on('close', () => closed.resolve())
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const startedMs = performance.now()
  const outcome = await postTo({ name: 'mute.example.com', port }, Array<string>(5).fill('127.0.0.1'), 300)
  expect(outcome).toMatch(/^timeout: /)
  await closed.promise
  // Without the deadline, the wait for an address ends it after 10 s.
  expect(performance.now() - startedMs).toBeLessThan(5000)
  // The server accepts connections in their order.
  const last = connect(port, '127.0.0.1')
  await Promise.all([once(server, 'connection'), once(last, 'connect')])
  expect(accepted).toEqual([expect.any(Number), last.localPort])
  last.destroy()
  server.close()
})

/** Refuses connections. */
const refusing = '127.0.0.2'
/** Of broadcast: for TCP, Linux has no route to it. */
const withoutRoute = '255.255.255.255'

test('of a name with many addresses the first four are dialled, and those without a route do not count', async () => {
  const name = 'many.example.com'
  const authority = await makeAuthority()
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const receiver = await startRawReceiver(await authority.sign({ name }), (socket) => void socket.write(answer))
  const target = { name, port: receiver.port, ca: authority.ca }
  const behind = (count: number, address: string) => [...Array<string>(count).fill(address), '127.0.0.1']
  expect(await postTo(target, behind(3, refusing), 5000)).toBe('answered')
  expect(await postTo(target, behind(4, refusing), 5000)).toContain('the connection was refused')
  expect(await postTo(target, behind(10, withoutRoute), 5000)).toBe('answered')
  receiver.close()
})

test.each([
  [[refusing, withoutRoute], 'the connection was refused'],
  [[withoutRoute, refusing], 'the connection was refused'],
  [[withoutRoute, withoutRoute], 'the network is not available (ENETUNREACH)'],
])('the fault is that of the receiver if there is a route to any of its addresses: %j', async (addresses, fault) => {
  expect(await postTo({ name: 'down.example.com', port: 9 }, addresses, 5000)).toBe(`connection: ${fault}`)
})
