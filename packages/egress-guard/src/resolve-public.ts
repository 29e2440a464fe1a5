import { isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AllowList, nothingAllowed } from './allow-list.ts'
import { DestinationError, notAllowed } from './destination.ts'
import type { HostResolver } from './host-resolver.ts'
import { isPublicAddress, translatedIpv4 } from './public-address.ts'

interface Judged {
  resolve: HostResolver
  allowed?: AllowList
  /** The addresses of this machine, which are not called although they may be public. Default: asked at each call. */
  own?: ReadonlySet<string>
}

/**
 * The addresses of a host that may be dialled: resolved once, and all of them public. One that is not refuses all.
 * @param host name, or an address without brackets
 * @throws DestinationError that does not tell what the name resolved to; the error of DNS
 */
export async function resolvePublic(
  host: string,
  port: number,
  { resolve, allowed = nothingAllowed, own = ownAddresses() }: Judged,
): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await resolve(host)
  if (allowed.hasHost(isIP(host) === 6 ? `[${host}]` : host, port)) return addresses
  const isForeign = (address: string) => isPublicAddress(address) && !own.has(address)
  const isFine = (address: string) =>
    allowed.hasAddress(address) || isForeign(address) || (address !== host && isForeign(translatedIpv4(address) ?? ''))
  if (addresses.length === 0 || !addresses.every(isFine)) throw new DestinationError(notAllowed)
  // IPv4 first: many networks have no route for IPv6.
  return addresses.toSorted((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)))
}

/** The addresses of this machine; asked again at every connect, since they change. */
function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)))
}
