/**
 * The claim of this name, else the one at this path. Names of claims may contain dots, as URLs do.
 * @example claimAt({ realm_access: { roles: ['audit:read'] } }, 'realm_access.roles') // ['audit:read']
 */
export function claimAt(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return (claims as Record<string, unknown>)[name]
  let found: unknown = claims
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Record<string, unknown>)[part]
  }
  return found
}
