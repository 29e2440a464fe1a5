import type { Principal, Route } from '@notify/contracts'
import { pathOf } from '@notify/service-kit'

/**
 * Within what an Idempotency-Key is the same: an application or an operator, and a path with its identifiers. What an
 * application does with its test keys is apart: the answer to a message that went to the sandbox is none for one that is to be
 * sent.
 */
export function idempotencyScope(principal: Principal, contract: Route, params: Record<string, string> = {}): string {
  return `${callerOf(principal)} ${contract.method} ${pathOf(contract, params)}`
}

function callerOf(principal: Principal): string {
  if (principal.kind === 'operator') return `${principal.tenant_id} ${principal.subject}`
  if (principal.kind === 'service') return principal.service
  return principal.mode === 'live' ? principal.application_id : `${principal.application_id} ${principal.mode}`
}
