import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { createAddressOf, parseNetworks } from './caller-address.ts'

/** The caller's address, from the peer address and X-Forwarded-For. */
function addressOf(remoteAddress: string, forwarded?: string, proxies = ''): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return createAddressOf(parseNetworks(proxies))({ headers, socket: { remoteAddress } } as IncomingMessage)
}

test('nobody is believed what a header says, unless configured', () => {
  expect(addressOf('198.51.100.1', '192.0.2.1')).toBe('198.51.100.1')
  expect(addressOf('198.51.100.1', '192.0.2.1', '10.0.0.0/8')).toBe('198.51.100.1')
})

test.each([
  ['the last address before the proxies', '192.0.2.1', '192.0.2.1'],
  ['not what the caller wrote before it', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
  ['through several proxies', '203.0.113.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['the first proxy, when all are', '10.0.0.3,10.0.0.2', '10.0.0.3'],
  ['the proxy, when it says nothing', undefined, '10.0.0.1'],
  ['the proxy, when it says nonsense', 'unknown', '10.0.0.1'],
  ['as far as it can be read', 'nonsense, 10.0.0.2', '10.0.0.2'],
  ['an IPv6 caller', '2001:db8::1', '2001:db8:0:0::/64'],
  ['without the port', '192.0.2.1:5123', '192.0.2.1'],
  ['without the ports of several proxies', '203.0.113.9:80, 192.0.2.1:5123, 10.0.0.2:443', '192.0.2.1'],
  ['an IPv6 caller with a port', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['an IPv6 caller in brackets', '[2001:db8::1]', '2001:db8:0:0::/64'],
  ['an IPv4 caller in IPv6 form with a port', '[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ['the proxy, when the port is nonsense', '192.0.2.1:port', '10.0.0.1'],
])('behind a trusted proxy: %s', (_what, forwarded, expected) => {
  expect(addressOf('::ffff:10.0.0.1', forwarded, '10.0.0.0/8')).toBe(expected)
})

test('the addresses of a /64 are one caller, whatever their form', () => {
  for (const address of ['2001:db8:0:7::1', '2001:0db8:0:7:ffff:1:2:3', '2001:db8:0000:0007::']) {
    expect(addressOf(address)).toBe('2001:db8:0:7::/64')
  }
  expect(addressOf('2001:db8:0:8::1')).not.toBe(addressOf('2001:db8:0:7::1'))
  expect(addressOf('::1')).toBe('0:0:0:0::/64')
  expect(addressOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(addressOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
})

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0/8', 'proxy.example', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/-1'])(
  '%s is not a network',
  (text) => {
    expect(() => parseNetworks(text)).toThrow(RangeError)
  },
)
