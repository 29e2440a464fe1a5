import { type Id, type SubscriptionChange, subscriptionChanged, type WebhookEventType } from '@notify/contracts'
import { cast, column, defineStatement, enqueueEvents, pick, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import type { Config } from '../config.ts'
import { build, type Tables, tables } from '../db/schema.ts'

/** Which subscriptions a caller may see. */
export interface Scope {
  tenantId: Id<'ten'>
  /** Of an API key; undefined for operators. */
  applicationId: Id<'app'> | undefined
}

interface Replay {
  since: string
  count: number
  replayed: number
  requested_at: string
  finished_at: string | null
}

const replay = cast(
  column.json<Replay>().nullable(),
  sql`(
  select json_build_object('since', r.since, 'count', r.count, 'replayed', r.replayed, 'requested_at', r.requested_at,
    'finished_at', r.finished_at) from replays r where r.subscription_id = s.id)`,
)

/** Subscriptions with the health of their endpoints and their latest replays. */
const subscriptions = build
  .selectFrom('subscriptions as s')
  .leftJoin('endpoints as e', 'e.id', 's.id')
  .selectAll('s')
  .select(['e.failing_since', replay.as('replay')])

/** A subscription with the health of its endpoint and its latest replay. */
export type SubscriptionRow = Selectable<Tables['subscriptions']> & {
  failing_since: Date | null
  replay: Replay | null
}

/** What a caller may see of them. */
function within({ tenantId, applicationId }: Scope) {
  const ofTenant = subscriptions.where('s.tenant_id', '=', tenantId)
  return applicationId === undefined ? ofTenant : ofTenant.where('s.application_id', '=', applicationId)
}

export async function findSubscription(run: Run, scope: Scope, id: Id<'whsub'>): Promise<SubscriptionRow | undefined> {
  return (await run(within(scope).where('s.id', '=', id)))[0]
}

/** Finds a subscription and locks it until the transaction ends. */
export async function lockSubscription(run: Run, scope: Scope, id: Id<'whsub'>): Promise<SubscriptionRow | undefined> {
  return (await run(within(scope).where('s.id', '=', id).forUpdate('s')))[0]
}

export function listSubscriptionRows(
  run: Run,
  scope: Scope,
  { after, limit }: { after: Id<'whsub'> | undefined; limit: number },
): Promise<SubscriptionRow[]> {
  const page = within(scope).orderBy('s.id', 'desc').limit(limit)
  return run(after === undefined ? page : page.where('s.id', '<', after))
}

/** All subscriptions of an application, locked until the transaction ends. */
export function lockSubscriptionsOf(
  run: Run,
  owner: { tenantId: Id<'ten'>; applicationId: Id<'app'> },
): Promise<SubscriptionRow[]> {
  return run(within(owner).orderBy('s.id').forUpdate('s'))
}

/** Whom facts of these applications are sent to. */
export type Subscriber = Awaited<ReturnType<typeof findSubscribers>>[number]

/** By clocks that differ: a little earlier than the creation, and a little later than the change. */
const find = defineStatement({
  name: 'find-subscribers',
  text: `
    select s.id, s.tenant_id, s.application_id, s.events,
      (extract(epoch from s.created_at) * 1000 - 5000)::float8 as subscribed_ms,
      (extract(epoch from s.updated_at) * 1000 + 5000)::float8 as changed_ms
    from json_to_recordset($1::json) as t (tenant_id text, application_id text)
    join subscriptions s on s.tenant_id = t.tenant_id and s.application_id = t.application_id
    where s.status = 'active'`,
  columns: {
    ...pick(tables.subscriptions, 'id', 'tenant_id', 'application_id', 'events'),
    subscribed_ms: column.double(),
    changed_ms: column.double(),
  },
})

export function findSubscribers(run: Run, facts: readonly { tenant_id: string; application_id: string }[]) {
  const applications = new Map(
    facts.map(({ tenant_id, application_id }) => [`${tenant_id} ${application_id}`, { tenant_id, application_id }]),
  )
  return run(find, [JSON.stringify([...applications.values()])])
}

interface NewSubscription {
  id: Id<'whsub'>
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  providerId: Id<'prov'>
  url: Buffer
  events: readonly WebhookEventType[]
  description: string
}

type Limits = Pick<Config, 'SUBSCRIPTIONS_PER_APPLICATION' | 'SUBSCRIPTIONS_PER_TENANT'>

/** @throws Problem `subscription_limit_reached` */
export async function requireRoomForSubscription(
  run: Run,
  { tenantId, applicationId }: { tenantId: Id<'ten'>; applicationId: Id<'app'> },
  { SUBSCRIPTIONS_PER_APPLICATION, SUBSCRIPTIONS_PER_TENANT }: Limits,
): Promise<void> {
  const code = 'subscription_limit_reached'
  const ofTenant = build.selectFrom('subscriptions').select('id').where('tenant_id', '=', tenantId)
  await requireRoom(run, {
    ...{ code, what: 'webhook subscriptions of a tenant', rows: ofTenant, owner: [tenantId] },
    most: SUBSCRIPTIONS_PER_TENANT,
  })
  await requireRoom(run, {
    ...{
      code,
      what: 'webhook subscriptions of an application',
      rows: ofTenant.where('application_id', '=', applicationId),
    },
    owner: [tenantId, applicationId],
    most: SUBSCRIPTIONS_PER_APPLICATION,
  })
}

export async function insertSubscription(run: Run, one: NewSubscription): Promise<SubscriptionRow> {
  const { id, tenantId: tenant_id, applicationId: application_id, providerId: provider_id, url, description } = one
  const values = { id, tenant_id, application_id, provider_id, url, events: [...one.events], description }
  const [row] = await run(build.insertInto('subscriptions').values(values).returningAll())
  await run(build.insertInto('endpoints').values({ id, tenant_id }))
  return { ...row!, failing_since: null, replay: null }
}

/** Publishes a change of state, in its transaction. @param endedProviderId of a deleted one: the provider that signed for it alone */
export async function publishSubscription(
  run: Run,
  row: Pick<SubscriptionRow, 'id' | 'tenant_id' | 'application_id' | 'revision' | 'disabled_reason'> & {
    status: SubscriptionChange['status']
  },
  actor: string | null,
  endedProviderId?: Id<'prov'>,
): Promise<void> {
  const event = {
    subscription_id: row.id,
    tenant_id: row.tenant_id,
    application_id: row.application_id,
    ...(endedProviderId === undefined ? {} : { provider_id: endedProviderId }),
    status: row.status,
    reason: row.disabled_reason,
    actor,
    revision: row.revision,
    occurred_at: new Date().toISOString(),
  }
  await enqueueEvents(run, subscriptionChanged, [{ event }])
}
