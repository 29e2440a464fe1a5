import { expect, test } from '@jest/globals'
import { resolvePublic } from './resolve-public.ts'

const resolved = (host: string, addresses: string[]) => resolvePublic(host, 443, { resolve: async () => addresses })

test('in a network with IPv6 alone, a receiver with IPv4 alone is reached by its translated address', async () => {
  const addresses = ['64:ff9b::808:808', '8.8.8.8']
  expect(await resolved('hooks.example.com', addresses)).toEqual(['8.8.8.8', '64:ff9b::808:808'])
})

test.each([
  '64:ff9b::7f00:1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::a00:1',
  '64:ff9b::c0a8:101',
  '64:ff9b::',
  '64:ff9b::1',
  '64:ff9b:1::808:808',
  '64:ff9b::1:808:808',
])('a name that resolves to %s, which leads into a private network, is refused', async (address) => {
  await expect(resolved('hooks.example.com', [address])).rejects.toThrow('not allowed')
})

test('a translated address that a tenant wrote is refused', async () => {
  await expect(resolved('64:ff9b::808:808', [])).rejects.toThrow('not allowed')
})

test.each([['203.0.114.7'], ['64:ff9b::203.0.114.7'], ['64:ff9b::cb00:7207'], ['2606:4700::7']])(
  'a name that resolves to %s, an address of this machine, is refused',
  async (address) => {
    const own = new Set(['203.0.114.7', '2606:4700::7'])
    const resolve = async () => [address]
    await expect(resolvePublic('hooks.example.com', 443, { resolve, own })).rejects.toThrow('not allowed')
    expect(await resolvePublic('hooks.example.com', 443, { resolve, own: new Set() })).toEqual([address])
  },
)
