import { isIP } from 'node:net'
import os from 'node:os'

/** The IP version of all addresses of a name, if it is the one that this machine lacks; undefined if the fault may be ours. */
export function foreignFamily(addresses: readonly string[]): 4 | 6 | undefined {
  const own = new Set(
    Object.values(os.networkInterfaces())
      .flatMap((all) => all ?? [])
      // Every machine has link-local addresses, which have a scope.
      .filter((one) => !one.internal && !('scopeid' in one && one.scopeid))
      .map(({ family }) => (family === 'IPv6' ? 6 : 4)),
  )
  const [lacking] = own.size === 1 ? ([4, 6] as const).filter((family) => !own.has(family)) : []
  return addresses.every((address) => isIP(address) === lacking) ? lacking : undefined
}

/** An error of a dial, with the IP version that its fault is. */
interface Marked {
  foreignFamily?: 4 | 6 | undefined
}

/** Marks the error of a dial that found no route to any of the addresses. */
export const withFamily = (error: unknown, addresses: readonly string[]): unknown =>
  Object.assign(error as object, { foreignFamily: foreignFamily(addresses) } satisfies Marked)

/** The IP version that the host has alone, and this machine lacks. */
export const familyOf = (error: unknown) => (error as Marked | null)?.foreignFamily
