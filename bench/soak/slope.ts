/**
 * The slope of a line through values taken at even intervals, by least squares.
 * @returns change of the value in an hour
 */
export function slopePerHour(values: readonly number[], everyMs: number): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let covariance = 0
  let variance = 0
  for (const [at, value] of values.entries()) {
    covariance += (at - middle) * (value - mean)
    variance += (at - middle) ** 2
  }
  return variance === 0 ? 0 : (covariance / variance) * (3_600_000 / everyMs)
}
