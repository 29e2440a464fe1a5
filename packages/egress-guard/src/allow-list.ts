import { type BlockList, isIP, isIPv6 } from 'node:net'
import { networks } from './public-address.ts'

/** Destinations that are allowed although they are not public. */
export interface AllowList {
  /** Whether this very host and port is listed; `host` as `URL.hostname` has it. */
  hasHost(host: string, port: number): boolean
  /** Whether the address is in a listed network, where any port is allowed. */
  hasAddress(address: string): boolean
}

export const nothingAllowed: AllowList = { hasHost: () => false, hasAddress: () => false }

/**
 * Reads `host:port` entries and networks, comma separated: `127.0.0.1:8443,10.0.0.0/8`. Empty allows nothing.
 * @throws Error naming the entry that is neither
 */
export function parseAllowList(text: string): AllowList {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
  const cidr: BlockList = networks(entries.filter((entry) => entry.includes('/')))
  const hosts = new Set(entries.filter((entry) => !entry.includes('/')).map(requireHost))
  if (entries.length === 0) return nothingAllowed
  return {
    hasHost: (host, port) => hosts.has(`${host}:${port}`),
    hasAddress: (address) => isIP(address) !== 0 && cidr.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'),
  }
}

function requireHost(entry: string): string {
  if (/^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]):[1-9]\d{0,4}$/.test(entry)) return entry
  throw new Error(`${entry} is neither host:port nor a network such as 10.0.0.0/8`)
}

/**
 * The same for a variable of a service: a production process (`NODE_ENV`) with exceptions does not start.
 * @throws Error naming what is wrong
 */
export function parseDevelopmentAllowList(text: string): AllowList {
  if (text.trim() !== '' && process.env.NODE_ENV === 'production') throw new Error('must be empty in production')
  return parseAllowList(text)
}
