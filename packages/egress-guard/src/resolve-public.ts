import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AllowList, nothingAllowed } from './allow-list.ts'
import { DestinationError, notAllowed } from './destination.ts'
import { isPublicAddress } from './public-address.ts'

/** Looks up all addresses of a name, IPv4 first. @throws the error of DNS, with its `code` */
export type HostResolver = (name: string) => Promise<string[]>

const nothing = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * Asks DNS without the thread pool: a name server that never answers would take one of its four threads for each name.
 * @param servers `host:port`; the system's when not given
 */
export function createHostResolver({
  servers,
  timeoutMs = 3000,
}: {
  servers?: readonly string[] | undefined
  timeoutMs?: number
} = {}): HostResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers) resolver.setServers([...servers])
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const errors = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
    )
    throw errors.find(({ code }) => !nothing.has(code ?? '')) ?? errors[0] ?? new DestinationError(notAllowed)
  }
}

interface Judged {
  resolve: HostResolver
  allowed?: AllowList
}

/**
 * The addresses of a host that may be dialled: resolved once, and all of them public. One that is not refuses all.
 * @param host name, or an address without brackets
 * @throws DestinationError that does not tell what the name resolved to; the error of DNS
 */
export async function resolvePublic(
  host: string,
  port: number,
  { resolve, allowed = nothingAllowed }: Judged,
): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await resolve(host)
  if (allowed.hasHost(isIP(host) === 6 ? `[${host}]` : host, port)) return addresses
  const own = ownAddresses()
  const isFine = (address: string) => allowed.hasAddress(address) || (isPublicAddress(address) && !own.has(address))
  if (addresses.length === 0 || !addresses.every(isFine)) throw new DestinationError(notAllowed)
  // IPv4 first: many networks have no route for IPv6.
  return addresses.toSorted((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)))
}

/** The addresses of this machine; asked again at every connect, since they change. */
function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)))
}
