import type { getMe as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { findTenantName } from './tenant-store.ts'

/** Describes the caller to itself. */
export const getMe: Handler<RouteContext, typeof contract> = async ({ db, profileOf }, { principal }) => {
  const tenant_name = await findTenantName(db.run, principal.tenant_id)
  if (principal.kind === 'key') {
    const { default_locale: _, default_time_zone: __, bulk_requires_topic: ___, ...key } = principal
    return { tenant_name, ...key }
  }
  const { subject, ...operator } = principal
  return { tenant_name, operator_id: subject, name: null, email: null, ...profileOf(principal), ...operator }
}
