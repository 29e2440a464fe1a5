import {
  type Application,
  type ApplicationChange,
  applicationChanged,
  type Brand,
  type Id,
  type OtpSettings,
} from '@notify/contracts'
import { enqueueEvents, nextUpdatedAt, type Queries, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql, type UpdateObject } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

export type ApplicationRow = Selectable<Tables['applications']>

/** An application of a tenant that is not deleted. */
const applicationOf = (tenantId: Id<'ten'>, id: Id<'app'>) =>
  build
    .selectFrom('applications')
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)

/** Whether the tenant has this application. */
export async function ownsApplication(db: Queries, tenantId: Id<'ten'>, id: Id<'app'>): Promise<boolean> {
  return (await db.run(applicationOf(tenantId, id).select('id'))).length > 0
}

/** The settings of an application that a caller can choose. */
export interface ApplicationSettings {
  name: string
  allowed_origins: string[]
  otp: OtpSettings
  default_locale: string | null
  default_time_zone: string | null
  bulk_requires_topic: boolean
  brand: Brand
}

/** @throws Problem `application_limit_reached` */
export function requireRoomForApplication(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build
    .selectFrom('applications')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
  const [code, what] = ['application_limit_reached', 'applications of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

/** @returns undefined when there is no such tenant */
export async function insertApplication(
  run: Run,
  { id, tenantId, otp, brand, ...rest }: ApplicationSettings & { id: Id<'app'>; tenantId: Id<'ten'> },
): Promise<ApplicationRow | undefined> {
  const [tenant] = await run(build.selectFrom('tenants').select('id').where('id', '=', tenantId))
  if (!tenant) return undefined
  const settings = { ...rest, otp: JSON.stringify(otp), brand: JSON.stringify(brand), managed: true }
  const [row] = await run(
    build
      .insertInto('applications')
      .values({ id, tenant_id: tenantId, ...settings })
      .returningAll(),
  )
  return row
}

export async function findApplication(
  run: Run,
  tenantId: Id<'ten'>,
  id: Id<'app'>,
): Promise<ApplicationRow | undefined> {
  return (await run(applicationOf(tenantId, id).selectAll()))[0]
}

/** An application as the pages show it that its recipients open. Also one that was deleted: its messages are still read. */
export async function findSender(run: Run, tenantId: Id<'ten'>, id: Id<'app'>) {
  const [sender] = await run(
    build
      .selectFrom('applications')
      .select(['name', 'brand', 'default_locale'])
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId),
  )
  return sender
}

/** Finds an application and locks it until the transaction ends. */
export async function lockApplication(
  run: Run,
  tenantId: Id<'ten'>,
  id: Id<'app'>,
): Promise<ApplicationRow | undefined> {
  return (await run(applicationOf(tenantId, id).selectAll().forUpdate()))[0]
}

/** The applications of a tenant, newest first. */
export function listApplicationRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: Id<'app'> | undefined; limit: number },
): Promise<ApplicationRow[]> {
  const all = build
    .selectFrom('applications')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
  return run((after === undefined ? all : all.where('id', '<', after)).orderBy('id', 'desc').limit(limit))
}

const changedNow = sql<Date>`${sql.raw(nextUpdatedAt())}`

/** Changes an application through the API; from then on the bootstrap document does not. */
const change = (id: Id<'app'>, fields: UpdateObject<Tables, 'applications'>) =>
  build
    .updateTable('applications')
    .set(({ eb }) => ({ updated_at: changedNow, ...fields, revision: eb('revision', '+', 1), managed: true }))
    .where('id', '=', id)
    .returningAll()

export async function updateApplication(
  run: Run,
  id: Id<'app'>,
  { otp, brand, ...rest }: ApplicationSettings,
): Promise<ApplicationRow> {
  const [row] = await run(change(id, { ...rest, otp: JSON.stringify(otp), brand: JSON.stringify(brand) }))
  return row!
}

/** Deletes an application. Its row is kept: the activity shows its name. */
export async function removeApplication(run: Run, id: Id<'app'>): Promise<ApplicationRow> {
  const now = sql<Date>`now()`
  const [row] = await run(change(id, { deleted_at: now, updated_at: now }))
  return row!
}

/** Publishes the state of an application in the transaction of its change. */
export async function enqueueApplicationChange(run: Run, row: ApplicationRow): Promise<void> {
  const event: ApplicationChange = {
    application_id: row.id,
    tenant_id: row.tenant_id,
    revision: row.revision,
    allowed_origins: row.allowed_origins,
    status: row.deleted_at === null ? 'active' : 'revoked',
    otp: row.otp,
    default_locale: row.default_locale,
    default_time_zone: row.default_time_zone,
  }
  await enqueueEvents(run, applicationChanged, [{ event }])
}

/** An application as returned to operators. */
export function describeApplication(row: ApplicationRow): Application {
  return {
    application_id: row.id,
    name: row.name,
    allowed_origins: row.allowed_origins,
    otp: row.otp,
    default_locale: row.default_locale,
    default_time_zone: row.default_time_zone,
    bulk_requires_topic: row.bulk_requires_topic,
    brand: row.brand,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
