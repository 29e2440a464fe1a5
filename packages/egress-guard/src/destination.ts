import { isIPv4, isIPv6 } from 'node:net'
import { type AllowList, nothingAllowed } from './allow-list.ts'
import { isPublicAddress } from './public-address.ts'

/** The message of a refusal, independent of what a name resolved to. */
export const notAllowed = 'destination not allowed'

/** An address that must not be called. The message explains its text and reveals nothing of DNS. */
export class DestinationError extends Error {
  override name = 'DestinationError'
}

const longestUrl = 2048
const longestName = 253

/** The part between scheme and path, in the one form that all parsers read alike. */
const authorityPattern = /^https:\/\/([^/?#]+)(?:[/?#]|$)/i
/** Names that mean something in one network only (RFC 6761, 6762, 8375, ICANN's private-use list). */
const privateNames =
  /\.(?:localhost|local|internal|intranet|private|corp|home|lan|localdomain|home\.arpa|onion|invalid)$/
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/**
 * Reads an address that a tenant wrote, and judges its text. Names must be resolved and judged at every connect, too.
 * @throws DestinationError
 */
export function readDestination(text: string, allowed: AllowList = nothingAllowed): URL {
  if (text.length > longestUrl) throw new DestinationError(`has more than ${longestUrl} characters`)
  if (/[\s\\\p{Cc}\p{Cf}\p{Zs}]/u.test(text)) {
    throw new DestinationError('has a space, a backslash or an invisible character')
  }
  const [, authority] = authorityPattern.exec(text) ?? []
  if (authority === undefined) throw new DestinationError('must begin with https://')
  if (authority.includes('@')) throw new DestinationError('must not have a user name or password')
  if (authority.includes('%')) throw new DestinationError('must not have a percent sign in its host')
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new DestinationError('is not an address')
  }
  const port = url.port === '' ? 443 : Number(url.port)
  if (allowed.hasHost(url.hostname, port)) return url
  requireHost(url.hostname, authority, allowed)
  if (port !== 443 && !allowed.hasAddress(withoutBrackets(url.hostname))) {
    throw new DestinationError('must use port 443')
  }
  return url
}

/** The address of an IPv6 literal, or the name as it is. */
export const withoutBrackets = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)

function requireHost(host: string, authority: string, allowed: AllowList): void {
  const literal = withoutBrackets(host)
  if (isIPv4(literal) || isIPv6(literal)) {
    // 0x7f.1, 2130706433 and ①②⑦.0.0.1 are addresses to some parsers and names to others.
    const isPlain = host.startsWith('[') || authority === host || authority.startsWith(`${host}:`)
    if (!isPlain) throw new DestinationError('must have a host name, or an address in its usual form')
    if (!isPublicAddress(literal) && !allowed.hasAddress(literal)) throw new DestinationError('is not a public address')
    return
  }
  requireName(host)
}

/** @throws DestinationError for what cannot be the name of a host on the internet */
function requireName(name: string): void {
  const labels = name.split('.')
  if (
    labels.length < 2 ||
    name.length > longestName ||
    privateNames.test(name) ||
    !labels.every((one) => label.test(one))
  ) {
    throw new DestinationError('must have a public host name')
  }
}
