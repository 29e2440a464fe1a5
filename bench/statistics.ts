/** Rounds to so many decimals. */
export function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** Rounds to three decimals. */
export const round = (value: number): number => roundTo(value, 3)

/**
 * The percentile by nearest rank.
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (value === undefined) throw new Error('a percentile needs at least one value')
  return value
}
