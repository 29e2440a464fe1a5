import { z } from 'zod'

/**
 * An array of enum values that drops those unknown to this release. Use it for lists that grant or select something,
 * never where a dropped value would change the meaning of the others.
 */
export function knownValues<T extends string>(known: readonly T[]) {
  const isKnown = (value: string): value is T => (known as readonly string[]).includes(value)
  return z.array(z.string()).transform((values) => values.filter(isKnown))
}
