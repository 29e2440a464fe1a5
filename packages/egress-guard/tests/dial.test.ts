import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import os, { type NetworkInterfaceInfo } from 'node:os'
import { afterEach, expect, jest, test } from '@jest/globals'
import { authority, client, muteServer, ok, post, receiver } from './exchange.ts'

/** Posts to a name with these addresses. @returns what became of it */
async function postTo(name: string, port: number, addresses: readonly string[], deadlineMs?: number): Promise<string> {
  const egress = client({ allow: `${name}:${port}`, resolve: async () => [...addresses] })
  const outcome = await post(egress, `https://${name}:${port}/`, deadlineMs)
  return outcome.kind === 'failed' ? `${outcome.reason}: ${outcome.message}` : outcome.kind
}

test('the deadline ends the connection that is being opened, and no further address of the name is dialled', async () => {
  const accepted: (number | undefined)[] = []
  const closed = Promise.withResolvers<void>()
  const server = await muteServer((socket) => {
    accepted.push(socket.remotePort)
    socket.on('close', () => closed.resolve())
  })
  const { port } = server.address() as AddressInfo
  const startedMs = performance.now()
  const outcome = await postTo('mute.example.com', port, Array<string>(5).fill('127.0.0.1'), 300)
  expect(outcome).toMatch(/^timeout: /)
  await closed.promise
  // Without the deadline, the wait for an address ends it after 10 s.
  expect(performance.now() - startedMs).toBeLessThan(5000)
  // The server accepts connections in their order.
  const last = connect(port, '127.0.0.1')
  await Promise.all([once(server, 'connection'), once(last, 'connect')])
  expect(accepted).toEqual([expect.any(Number), last.localPort])
  last.destroy()
})

/** Refuses connections. */
const refusing = '127.0.0.2'
/** Of broadcast: for TCP, Linux has no route to it. */
const withoutRoute = '255.255.255.255'

test('of a name with many addresses the first four are dialled, and those without a route do not count', async () => {
  const name = 'many.example.com'
  const { port } = await receiver(ok, await authority.sign({ name }))
  const behind = (count: number, address: string) => [...Array<string>(count).fill(address), '127.0.0.1']
  expect(await postTo(name, port, behind(3, refusing))).toBe('answered')
  expect(await postTo(name, port, behind(4, refusing))).toContain('the connection was refused')
  expect(await postTo(name, port, behind(10, withoutRoute))).toBe('answered')
  expect(await postTo(name, port, behind(64, withoutRoute))).toContain('ENETUNREACH')
})

test.each([
  [[refusing, withoutRoute], 'the connection was refused'],
  [[withoutRoute, refusing], 'the connection was refused'],
  [[withoutRoute, withoutRoute], 'the network is not available (ENETUNREACH)'],
])('the fault is that of the receiver if there is a route to any of its addresses: %j', async (addresses, fault) => {
  expect(await postTo('down.example.com', 9, addresses)).toBe(`connection: ${fault}`)
})

afterEach(() => {
  jest.restoreAllMocks()
})

const own = (address: string, fields: object = {}) =>
  ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4', internal: false, ...fields }) as NetworkInterfaceInfo
const [four, six] = [own('10.0.0.7'), own('fd00::7', { scopeid: 0 })]
const everywhere = [own('127.0.0.1', { internal: true }), own('fe80::7', { scopeid: 2 })]

test.each([
  ['only IPv6', [six], 'the host has only IPv4 addresses, which this service cannot reach'],
  ['both', [four, six], 'the network is not available (ENETUNREACH)'],
  ['only IPv4', [four], 'the network is not available (ENETUNREACH)'],
  ['neither', [], 'the network is not available (ENETUNREACH)'],
])('without a route to IPv4 addresses, from a machine that has %s: %s', async (_what, addresses, fault) => {
  jest.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: [...everywhere, ...addresses] })
  expect(await postTo('far.example.com', 9, [withoutRoute, withoutRoute])).toBe(`connection: ${fault}`)
})
