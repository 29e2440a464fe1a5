import type { KeyPrincipal, OperatorPrincipal } from '@notify/contracts'

/** Test keys have their own ledger; operators manage the live one. */
export function modeOf(caller: KeyPrincipal | OperatorPrincipal): 'live' | 'test' {
  return caller.kind === 'key' ? caller.mode : 'live'
}
