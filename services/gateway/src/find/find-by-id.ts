import { type findById as contract, type FoundId, findEvents, type Id, type ServicePrincipal } from '@notify/contracts'
import { anyOf, type Run } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { build } from '../db/schema.ts'

const most = 10
const itself: ServicePrincipal = { kind: 'service', service: 'gateway', permissions: ['timelines:read'] }
const timeoutMs = 3000

/** What the tenant has under an id that does not tell its application. */
export const findById: Handler<RouteContext, typeof contract> = async (context, { query: { id }, principal }) => {
  const { db } = context
  const { tenant_id: tenantId } = principal
  const found = await Promise.all([
    applicationsOf(db.run, tenantId, { kind: 'key', id }, idsOf.key(tenantId, id)),
    applicationsOf(db.run, tenantId, { kind: 'request', id }, idsOf.request(tenantId, id)),
    eventsOf(context, tenantId, id),
  ])
  return { items: found.flat() }
}

/** Where dispatch does not answer, only the events that were ever sent: the activity counts each of them. */
async function eventsOf(context: RouteContext, tenant_id: Id<'ten'>, event_key: string): Promise<FoundId[]> {
  const { db, dispatch, signPrincipal } = context
  const known = await dispatch
    .call(findEvents, { principal: await signPrincipal(itself), timeoutMs, body: { tenant_id, event_key } })
    .catch(() => undefined)
  const ids = known ? idsOf.known(tenant_id, known.application_ids) : idsOf.sent(tenant_id, event_key)
  return applicationsOf(db.run, tenant_id, { kind: 'event', id: event_key }, ids)
}

async function applicationsOf(
  run: Run,
  tenantId: Id<'ten'>,
  found: Pick<FoundId, 'kind' | 'id'>,
  ids: ReturnType<(typeof idsOf)[keyof typeof idsOf]>,
): Promise<FoundId[]> {
  const rows = await run(
    build
      .selectFrom('applications as p')
      .select(['p.id as application_id', 'p.name as application_name'])
      .where('p.tenant_id', '=', tenantId)
      .where('p.deleted_at', 'is', null)
      .where('p.id', 'in', ids)
      .limit(most),
  )
  return rows.map((row) => ({ ...found, ...row }))
}

const idsOf = {
  known: (tenantId: Id<'ten'>, ids: readonly Id<'app'>[]) =>
    build
      .selectFrom('applications')
      .select('id as application_id')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', anyOf(ids)),
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
  sent: (tenantId: Id<'ten'>, id: string) =>
    build
      .selectFrom('activity_totals')
      .select('application_id')
      .$castTo<{ application_id: Id<'app'> }>()
      .where('tenant_id', '=', tenantId)
      .where('event_key', '=', id),
}
