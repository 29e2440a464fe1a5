import { type DisabledReason, type Id, subscriptionChanged, type WebhookEventType } from '@notify/contracts'
import { enqueueEvents, type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Config } from '../config.ts'
import { build, type Tables } from '../db/schema.ts'

type Plain = Selectable<Tables['subscriptions']>

/** A subscription with the health of its endpoint and its latest replay. */
export interface SubscriptionRow extends Plain {
  failing_since: Date | null
  replay: { since: string; count: number; replayed: number; requested_at: string; finished_at: string | null } | null
}

/** Which subscriptions a caller may see. */
export interface Scope {
  tenantId: string
  /** Of an API key; undefined for operators. */
  applicationId: string | undefined
}

const whole = `s.*, e.failing_since,
  (select json_build_object('since', r.since, 'count', r.count, 'replayed', r.replayed, 'requested_at', r.requested_at,
     'finished_at', r.finished_at) from replays r where r.subscription_id = s.id) as replay`
const from = 'from subscriptions s left join endpoints e on e.id = s.id'

const ofScope = 's.id = $1 and s.tenant_id = $2 and ($3::text is null or s.application_id = $3)'
const valuesOf = ({ tenantId, applicationId }: Scope, id: string) => [id, tenantId, applicationId ?? null]

export async function findSubscription(run: Run, scope: Scope, id: string): Promise<SubscriptionRow | undefined> {
  return (await run<SubscriptionRow>(`select ${whole} ${from} where ${ofScope}`, valuesOf(scope, id)))[0]
}

/** Finds a subscription and locks it until the transaction ends. */
export async function lockSubscription(run: Run, scope: Scope, id: string): Promise<SubscriptionRow | undefined> {
  return (
    await run<SubscriptionRow>(`select ${whole} ${from} where ${ofScope} for update of s`, valuesOf(scope, id))
  )[0]
}

export function listSubscriptionRows(
  run: Run,
  scope: Scope,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<SubscriptionRow[]> {
  const values: unknown[] = [scope.tenantId, limit]
  const conditions = ['s.tenant_id = $1']
  if (scope.applicationId !== undefined) conditions.push(`s.application_id = $${values.push(scope.applicationId)}`)
  if (after !== undefined) conditions.push(`s.id < $${values.push(after)}`)
  return run<SubscriptionRow>(
    `select ${whole} ${from} where ${conditions.join(' and ')} order by s.id desc limit $2`,
    values,
  )
}

/** All subscriptions of an application, locked until the transaction ends. */
export function lockSubscriptionsOf(
  run: Run,
  { tenantId, applicationId }: { tenantId: string; applicationId: string },
): Promise<SubscriptionRow[]> {
  return run<SubscriptionRow>(
    `select ${whole} ${from} where s.tenant_id = $1 and s.application_id = $2 order by s.id for update of s`,
    [tenantId, applicationId],
  )
}

/** Whom facts of these applications are sent to. */
export interface Subscriber {
  id: `whsub_${string}`
  tenant_id: `ten_${string}`
  application_id: `app_${string}`
  events: WebhookEventType[]
  /** Earlier events are not delivered; a little earlier, since clocks differ. */
  subscribed_ms: number
  /** When it was changed last; a little later, since clocks differ. */
  changed_ms: number
}

export function findSubscribers(
  run: Run,
  facts: readonly { tenant_id: string; application_id: string }[],
): Promise<Subscriber[]> {
  const applications = new Map(
    facts.map(({ tenant_id, application_id }) => [`${tenant_id} ${application_id}`, { tenant_id, application_id }]),
  )
  return run<Subscriber>(
    {
      name: 'find-subscribers',
      text: `select s.id, s.tenant_id, s.application_id, s.events,
               (extract(epoch from s.created_at) * 1000 - 5000)::float8 as subscribed_ms,
               (extract(epoch from s.updated_at) * 1000 + 5000)::float8 as changed_ms
             from json_to_recordset($1::json) as t (tenant_id text, application_id text)
             join subscriptions s on s.tenant_id = t.tenant_id and s.application_id = t.application_id
             where s.status = 'active'`,
    },
    [JSON.stringify([...applications.values()])],
  )
}

interface NewSubscription {
  id: string
  tenantId: string
  applicationId: string
  providerId: string
  url: Buffer
  events: readonly string[]
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
  const [row] = await run<Plain>(
    `insert into subscriptions (id, tenant_id, application_id, provider_id, url, events, description)
     values ($1, $2, $3, $4, $5, $6, $7) returning *`,
    [one.id, one.tenantId, one.applicationId, one.providerId, one.url, one.events, one.description],
  )
  await run(`insert into endpoints (id, tenant_id) values ($1, $2)`, [one.id, one.tenantId])
  return { ...row!, failing_since: null, replay: null }
}

/** Publishes a change of state, in its transaction. @param endedProviderId of a deleted one: the provider that signed for it alone */
export async function tellSubscription(
  run: Run,
  row: Pick<Plain, 'id' | 'tenant_id' | 'application_id' | 'revision' | 'disabled_reason'> & { status: string },
  actor: string | null,
  endedProviderId?: string,
): Promise<void> {
  const event = {
    subscription_id: row.id as `whsub_${string}`,
    tenant_id: row.tenant_id as `ten_${string}`,
    application_id: row.application_id as `app_${string}`,
    ...(endedProviderId === undefined ? {} : { provider_id: endedProviderId as `prov_${string}` }),
    status: row.status as 'active' | 'disabled' | 'deleted',
    reason: row.disabled_reason as DisabledReason | null,
    actor,
    revision: row.revision,
    occurred_at: new Date().toISOString(),
  }
  await enqueueEvents(run, subscriptionChanged, [{ event }])
}
