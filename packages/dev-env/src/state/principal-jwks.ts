import type { State } from './state.ts'

/** The public halves of the keys that vouch for callers, as a JWKS document in JSON. */
export function principalJwks(state: State): string {
  const keys = [
    ...[state.principal_signing_key, state.otp_signing_key, state.dispatch_signing_key],
    ...[state.callbacks_signing_key, state.inbox_stream_signing_key, state.webhook_delivery_signing_key],
  ]
  return JSON.stringify({ keys: keys.map(({ d: _, ...publicJwk }) => publicJwk) })
}
