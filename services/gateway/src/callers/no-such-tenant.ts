import { Problem } from '@notify/service-kit'

/** The access token is valid, but the installation has no tenant with the id that it names. */
export function noSuchTenant(id: string): Problem {
  return new Problem('permission_denied', `The tenant ${id} of the access token does not exist; create it first`)
}
