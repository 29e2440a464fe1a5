import { Problem } from '@notify/service-kit'

/** Also for the applications of other tenants. */
export function noSuchApplication(): Problem {
  return new Problem('not_found', 'No application has this id')
}
