import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '@notify/service-kit'

/** How far a carrier's clock and its repetitions may be from ours, in seconds. */
const usualWindowS = 300

/** Whether two secrets are the same, in constant time and whatever their lengths. */
export function isSame(given: string | Buffer, expected: string | Buffer): boolean {
  const digest = (value: string | Buffer) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** The secrets of a field that may name two, comma-separated, while one replaces the other. */
export function secretsOf(field: string): string[] {
  return field
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean)
}

/** A header that comes once; else empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/**
 * Refuses a callback that was signed too long ago, or in the future.
 * @param signedAt Unix time in seconds
 * @throws Problem `invalid_signature`
 */
export function requireFresh(signedAt: string | number, windowS = usualWindowS): void {
  const ageS = Date.now() / 1000 - Number(signedAt)
  if (signedAt !== '' && Math.abs(ageS) <= windowS) return
  throw new Problem('invalid_signature', `The callback was not signed within the last ${windowS} seconds`)
}

/** @throws Problem `invalid_signature` unless it holds */
export function requireProof(isProven: boolean, of: string): void {
  if (!isProven) throw new Problem('invalid_signature', `${of} does not match the callback and the provider's secret`)
}
