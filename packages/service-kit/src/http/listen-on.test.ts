import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { commonConfig } from '../config.ts'
import { createAddressOf, parseNetworks } from './caller-address.ts'
import { listenOn } from './listen-on.ts'

const addressOf = createAddressOf(parseNetworks(''))

/** The address that a server sees of its caller, by the address that was called. */
async function callersOf(host: string, addresses: readonly string[]): Promise<(string | undefined)[]> {
  const server = createServer((request, response) => response.end(addressOf(request)))
  await listenOn(server, { host, port: 0 })
  const { port } = server.address() as AddressInfo
  const told = addresses.map(async (address) => {
    const response = await fetch(`http://${address}:${port}`).catch(() => undefined)
    return response?.text()
  })
  try {
    return await Promise.all(told)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('by default a service is reached over IPv6 and over IPv4, and tells callers apart by their own addresses', async () => {
  const host = commonConfig.HOST.parse(undefined)
  expect(await callersOf(host, ['[::1]', '127.0.0.1'])).toEqual(['0:0:0:0::/64', '127.0.0.1'])
})

test('a service that is given an address is reached there alone', async () => {
  expect(await callersOf('127.0.0.1', ['[::1]', '127.0.0.1'])).toEqual([undefined, '127.0.0.1'])
})
