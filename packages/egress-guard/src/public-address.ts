import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Networks of the IANA IPv4 Special-Purpose Address Registry, multicast, class E, and Azure's host agent. */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/** What of 2000::/3 is special: protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112. */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const

/** Networks in CIDR notation as a set. @throws Error for what is not one */
export function networks(list: readonly string[]): BlockList {
  const set = new BlockList()
  for (const text of list) {
    const [address = '', bits = ''] = text.split('/')
    const version = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
    if (!version || !/^\d{1,3}$/.test(bits)) throw new Error(`${text} is not a network such as 10.0.0.0/8`)
    set.addSubnet(address, Number(bits), version)
  }
  return set
}

const special4 = networks(specialIpv4)
const special6 = networks(specialIpv6)
const global6 = networks(['2000::/3'])
const translated6 = networks(['64:ff9b::/96'])

/**
 * Whether an address may be a public one. IPv6 outside of 2000::/3 never does: not mapped, compatible or
 * translated IPv4 either.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/**
 * The IPv4 address of which a resolver made this one (DNS64), for networks with IPv6 alone. An answer of DNS may be one; an
 * address that a tenant wrote may not.
 * @see https://www.rfc-editor.org/rfc/rfc6052#section-2.1
 */
export function translatedIpv4(address: string): string | undefined {
  if (!isIPv6(address) || !translated6.check(address, 'ipv6')) return undefined
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')[1]!.split(':')
  const [high = 0, low = 0] = ['0', ...groups].slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
