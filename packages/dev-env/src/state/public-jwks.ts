import type { PrivateJwk } from './state.ts'

/** The public half, as a JWKS document in JSON. */
export function publicJwks({ d: _, ...publicJwk }: PrivateJwk): string {
  return JSON.stringify({ keys: [publicJwk] })
}
