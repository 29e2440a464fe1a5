import type { State } from './state.ts'

/** The public halves of the keys that vouch for callers, as a JWKS document in JSON. */
export function principalJwks(state: State): string {
  const { principal_signing_key, otp_signing_key, dispatch_signing_key, callbacks_signing_key } = state
  const keys = [principal_signing_key, otp_signing_key, dispatch_signing_key, callbacks_signing_key]
  return JSON.stringify({ keys: keys.map(({ d: _, ...publicJwk }) => publicJwk) })
}
