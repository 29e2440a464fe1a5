import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import {
  type Caller,
  liveOnlyPermissions,
  type Principal,
  permissionsFor,
  type Route,
  type UserPrincipal,
} from '@notify/contracts'
import { Problem } from '../problem.ts'
import type { Door } from './door.ts'
import { defaultMaxBodyBytes } from './read-body.ts'

/**
 * Authenticates the caller, counts the request against the rate limits, and checks the permission.
 * @param headers of the response; the rate limit headers are added to them
 * @returns undefined for a route without authentication
 */
export function admitCaller(
  door: Door,
  contract: Route,
  request: IncomingMessage,
  headers: OutgoingHttpHeaders,
): Caller | undefined | Promise<Caller> {
  if (contract.auth.caller === 'user') return admitUser(door, contract, request, headers)
  const permissions = permissionsFor(contract.auth)
  if (!permissions) return undefined
  const found = door.authenticate(request, contract)
  const go = (principal: Principal) => {
    // More is never read: a declared length alone must not use up the limits.
    const maxBytes = contract.maxBodyBytes ?? defaultMaxBodyBytes
    const bodyBytes = Math.min(Number(request.headers['content-length'] ?? 0), maxBytes)
    const admitted = admit(door, principal, bodyBytes, headers)
    return admitted
      ? admitted.then(() => requirePermission(principal, permissions))
      : requirePermission(principal, permissions)
  }
  // Synchronous if the caller is cached, because an await costs more than all of these checks.
  return found instanceof Promise ? found.then(go) : go(found)
}

const credentials = {
  service: "a service's own principal",
  operator: "an operator's access token",
  key: 'an API key',
} satisfies Record<Principal['kind'], string>

/** Adds the CORS headers even if the user is refused, so that the page can read the error. */
async function admitUser(
  door: Door,
  contract: Route,
  request: IncomingMessage,
  headers: OutgoingHttpHeaders,
): Promise<UserPrincipal> {
  let user: UserPrincipal | undefined
  try {
    user = await door.authenticateUser!(request, contract)
    return user
  } finally {
    if (door.corsOf) Object.assign(headers, await door.corsOf(request, user))
  }
}

/** @throws Problem `permission_denied` */
function requirePermission(
  principal: Principal,
  permissions: NonNullable<ReturnType<typeof permissionsFor>>,
): Principal {
  const permission = permissions[principal.kind]
  if (permission === undefined) {
    const needed = (['service', 'operator', 'key'] as const).find((kind) => kind in permissions)!
    throw new Problem('permission_denied', `This route needs ${credentials[needed]}`)
  }
  if (permission === null) return principal
  if (!(principal.permissions as string[]).includes(permission)) {
    throw new Problem('permission_denied', `The caller lacks the permission ${permission}`)
  }
  // A test key may have a live-only permission if it was created before the check at creation existed.
  if (principal.kind === 'key' && principal.mode === 'test' && isLiveOnly(permission)) {
    throw new Problem('permission_denied', `A test key cannot use ${permission}; use a live key`)
  }
  return principal
}

/** Counts a request against the caller's limits. */
function admit(door: Door, principal: Principal, bodyBytes: number, headers: OutgoingHttpHeaders) {
  const admitted = door.admit?.(principal, bodyBytes)
  if (!(admitted instanceof Promise)) return void Object.assign(headers, admitted)
  return admitted.then((found) => void Object.assign(headers, found))
}

const isLiveOnly = (permission: string) => (liveOnlyPermissions as readonly string[]).includes(permission)
