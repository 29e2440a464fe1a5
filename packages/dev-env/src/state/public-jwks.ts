import type { PrivateJwk } from './state.ts'

/** The public halves, as a JWKS document in JSON. */
export function publicJwks(...keys: readonly PrivateJwk[]): string {
  return JSON.stringify({ keys: keys.map(({ d: _, ...publicJwk }) => publicJwk) })
}
