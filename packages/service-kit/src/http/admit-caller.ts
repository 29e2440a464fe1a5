import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { type Caller, liveOnlyPermissions, type Principal, permissionsFor, type Route } from '@notify/contracts'
import { Problem } from '../problem.ts'
import type { Door } from './door.ts'

/**
 * Finds out who calls, counts the call against the limits, and judges whether the caller may use the route.
 * @param headers of the answer, to which those of the limits are added
 * @returns undefined for a route that asks nobody
 */
export function admitCaller(
  door: Door,
  contract: Route,
  request: IncomingMessage,
  headers: OutgoingHttpHeaders,
): Caller | undefined | Promise<Caller> {
  if (contract.auth.caller === 'user') return door.authenticateUser!(request, contract)
  const permissions = permissionsFor(contract.auth)
  if (!permissions) return undefined
  const found = door.authenticate(request, contract)
  const go = (principal: Principal) => {
    const admitted = admit(door, principal, Number(request.headers['content-length'] ?? 0), headers)
    return admitted
      ? admitted.then(() => requirePermission(principal, permissions))
      : requirePermission(principal, permissions)
  }
  // A caller who is known goes on at once: each wait costs more than all of these rules.
  return found instanceof Promise ? found.then(go) : go(found)
}

const credentials = {
  service: "a service's own principal",
  operator: "an operator's access token",
  key: 'an API key',
} satisfies Record<Principal['kind'], string>

/** @throws Problem `permission_denied` */
function requirePermission(
  principal: Principal,
  permissions: NonNullable<ReturnType<typeof permissionsFor>>,
): Principal {
  const permission = permissions[principal.kind]
  if (!permission) {
    const needed = (['service', 'operator', 'key'] as const).find((kind) => kind in permissions)!
    throw new Problem('permission_denied', `This route needs ${credentials[needed]}`)
  }
  if (!(principal.permissions as string[]).includes(permission)) {
    throw new Problem('permission_denied', `The caller lacks the permission ${permission}`)
  }
  // A key may bear such a permission from before it was refused where keys are made.
  if (principal.kind === 'key' && principal.mode === 'test' && isLiveOnly(permission)) {
    throw new Problem('permission_denied', `A test key cannot use ${permission}; use a live key or the console`)
  }
  return principal
}

/** Counts a call, or more of it, against the caller's limits. */
export function admit(door: Door, principal: Principal, bodyBytes: number, headers: OutgoingHttpHeaders) {
  const admitted = door.admit?.(principal, bodyBytes)
  if (!(admitted instanceof Promise)) return void Object.assign(headers, admitted)
  return admitted.then((found) => void Object.assign(headers, found))
}

const isLiveOnly = (permission: string) => (liveOnlyPermissions as readonly string[]).includes(permission)
