import { createHash } from 'node:crypto'
import type { Id, Principal, Route } from '@notify/contracts'
import { pathOf } from '@notify/service-kit'

/**
 * The scope of an Idempotency-Key: tenant, application or operator, mode, and path with identifiers. Test keys have their own
 * scope, because a result of the sandbox must never answer a live request.
 */
export function idempotencyScope(principal: Principal, contract: Route, params: Record<string, string> = {}): string {
  const path = pathOf(contract, params)
  return `${callerOf(principal)} ${contract.method} ${path.length > longestPath ? digestOf(path) : path}`
}

/** The scope is part of an index, whose entries have at most 2,704 bytes. Only identifiers that nothing has make a path so long. */
const longestPath = 500

const digestOf = (path: string): string => createHash('sha256').update(path).digest('base64url')

/** Begins each scope of a tenant's callers. */
export const scopesOf = (tenantId: Id<'ten'>): string => `${tenantId} `

function callerOf(principal: Principal): string {
  if (principal.kind === 'service') return principal.service
  const tenant = scopesOf(principal.tenant_id)
  if (principal.kind === 'operator') return tenant + principal.subject
  return (
    tenant + (principal.mode === 'live' ? principal.application_id : `${principal.application_id} ${principal.mode}`)
  )
}
