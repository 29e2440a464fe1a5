import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'

/** Networks of proxies whose X-Forwarded-For is trusted. */
export type TrustedProxies = BlockList

/**
 * Parses a list of networks, `10.0.0.0/8,fd00::/8`. A single address is a network of one.
 * @throws RangeError naming the invalid part
 */
export function parseNetworks(text: string): TrustedProxies {
  const networks = new BlockList()
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue
    const [address = '', length, ...rest] = part.split('/')
    const family = isIP(address)
    const bits = family === 4 ? 32 : 128
    const prefix = length === undefined ? bits : Number(length)
    if (
      family === 0 ||
      rest.length > 0 ||
      length === '' ||
      !(Number.isInteger(prefix) && prefix >= 0 && prefix <= bits)
    ) {
      throw new RangeError(`${part} is not a network such as 10.0.0.0/8 or fd00::/8`)
    }
    networks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return networks
}

/**
 * Identifies callers by address; an IPv6 /64 counts as one address (RFC 6177). X-Forwarded-For is read from the end, as far
 * as trusted proxies wrote it; earlier entries may be forged.
 */
export function createAddressOf(
  proxies: TrustedProxies,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const trustsNobody = proxies.rules.length === 0
  const isTrusted = (address: string) => proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  return ({ headers, socket }) => {
    let address = unmapped(socket.remoteAddress ?? '')
    if (trustsNobody || isIP(address) === 0) return grouped(address)
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    while (isTrusted(address)) {
      const next = unmapped(withoutPort(forwarded.pop()?.trim() ?? ''))
      if (isIP(next) === 0) break
      address = next
    }
    return grouped(address)
  }
}

/** The address of an entry with a port, as Azure Application Gateway writes it: `192.0.2.1:5123`, `[2001:db8::1]:5123`. */
function withoutPort(entry: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? []
  return ipv6 ?? ipv4 ?? entry
}

/** An IPv4 address in its IPv4 form, also when a dual-stack socket reports it as IPv6. */
function unmapped(address: string): string {
  const tail = address.slice('::ffff:'.length)
  return address.startsWith('::ffff:') && isIPv4(tail) ? tail : address
}

function grouped(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(8 - left.length - right.length, 0)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
