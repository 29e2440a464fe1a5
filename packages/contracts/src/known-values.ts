import { z } from 'zod'

/**
 * A list of closed values that other releases write too: what this release does not know is left out, and means nothing
 * here. For lists that grant or select something; never where a left out value would change what the others mean.
 */
export function knownValues<T extends string>(known: readonly T[]) {
  const isKnown = (value: string): value is T => (known as readonly string[]).includes(value)
  return z.array(z.string()).transform((values) => values.filter(isKnown))
}
