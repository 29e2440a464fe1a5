import type { getDomain as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeDomain } from './domain-records.ts'
import { findDomain } from './domain-store.ts'

/** A domain of the caller's tenant, with the results of the last check. */
export const getDomain: Handler<Context, typeof contract> = async ({ config, db }, { params, principal }) => {
  const row = await findDomain(db.run, principal.tenant_id, params.domain_id)
  if (!row) throw noSuchDomain()
  return describeDomain(row, config.SPF_INCLUDE)
}

/** Another tenant's domain is reported as not found. */
export function noSuchDomain(): Problem {
  return new Problem('not_found', 'No sending domain has this id')
}
