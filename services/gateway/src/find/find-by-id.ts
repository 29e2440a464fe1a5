import type { findById as contract, FoundId, Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { build } from '../db/schema.ts'

const most = 10

/** What the tenant has under an id that does not tell its application. */
export const findById: Handler<RouteContext, typeof contract> = async ({ db }, { query: { id }, principal }) => {
  const { tenant_id: tenantId } = principal
  const found = await Promise.all([
    applicationsOf(db.run, tenantId, id, 'key'),
    applicationsOf(db.run, tenantId, id, 'request'),
    applicationsOf(db.run, tenantId, id, 'event'),
  ])
  return { items: found.flat() }
}

async function applicationsOf(run: Run, tenantId: Id<'ten'>, id: string, kind: FoundId['kind']): Promise<FoundId[]> {
  const rows = await run(
    build
      .selectFrom('applications as p')
      .select(['p.id as application_id', 'p.name as application_name'])
      .where('p.tenant_id', '=', tenantId)
      .where('p.deleted_at', 'is', null)
      .where('p.id', 'in', applicationIds[kind](tenantId, id))
      .limit(most),
  )
  return rows.map((row) => ({ kind, id, ...row }))
}

const applicationIds = {
  key: (tenantId: Id<'ten'>, id: string) =>
    build
      .selectFrom('api_keys')
      .select('application_id')
      .where('id', '=', id as Id<'key'>)
      .where('tenant_id', '=', tenantId),
  request: (tenantId: Id<'ten'>, id: string) =>
    build
      .selectFrom('api_requests')
      .select('application_id')
      .where('tenant_id', '=', tenantId)
      .where('request_id', '=', id),
  // The counters of the activity have each event that was ever sent.
  event: (tenantId: Id<'ten'>, id: string) =>
    build
      .selectFrom('activity_totals')
      .select('application_id')
      .$castTo<{ application_id: Id<'app'> }>()
      .where('tenant_id', '=', tenantId)
      .where('event_key', '=', id),
}
