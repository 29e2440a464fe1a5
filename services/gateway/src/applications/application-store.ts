import {
  type Application,
  type ApplicationChange,
  applicationChanged,
  type Id,
  type OtpSettings,
} from '@notify/contracts'
import { type Database, enqueueEvents, nextUpdatedAt, type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

export type ApplicationRow = Selectable<Tables['applications']>

/** Whether the tenant has this application. */
export async function ownsApplication(db: Database<Tables>, tenantId: string, id: string): Promise<boolean> {
  const text = 'select 1 from applications where id = $1 and tenant_id = $2 and deleted_at is null'
  return (await db.run(text, [id, tenantId])).length > 0
}

/** What somebody decides about an application. */
export interface ApplicationSettings {
  name: string
  allowed_origins: string[]
  otp: OtpSettings
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
  { id, tenantId, name, allowed_origins, otp }: ApplicationSettings & { id: string; tenantId: string },
): Promise<ApplicationRow | undefined> {
  const [row] = await run<ApplicationRow>(
    `insert into applications (id, tenant_id, name, allowed_origins, otp, revision, managed)
     select $1, id, $3, $4, $5, 1, true from tenants where id = $2 returning *`,
    [id, tenantId, name, allowed_origins, JSON.stringify(otp)],
  )
  return row
}

export async function findApplication(run: Run, tenantId: string, id: string): Promise<ApplicationRow | undefined> {
  const text = 'select * from applications where id = $1 and tenant_id = $2 and deleted_at is null'
  return (await run<ApplicationRow>(text, [id, tenantId]))[0]
}

/** Finds an application and locks it until the transaction ends. */
export async function lockApplication(run: Run, tenantId: string, id: string): Promise<ApplicationRow | undefined> {
  const text = 'select * from applications where id = $1 and tenant_id = $2 and deleted_at is null for update'
  return (await run<ApplicationRow>(text, [id, tenantId]))[0]
}

/** The applications of a tenant, newest first. */
export function listApplicationRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<ApplicationRow[]> {
  return run<ApplicationRow>(
    `select * from applications where tenant_id = $1 and deleted_at is null and ($2::text is null or id < $2)
     order by id desc limit $3`,
    [tenantId, after ?? null, limit],
  )
}

/** Changes an application through the API; from then on the bootstrap document does not. */
export async function updateApplication(
  run: Run,
  id: string,
  { name, allowed_origins, otp }: ApplicationSettings,
): Promise<ApplicationRow> {
  const [row] = await run<ApplicationRow>(
    `update applications set name = $2, allowed_origins = $3, otp = $4, revision = revision + 1, managed = true,
       updated_at = ${nextUpdatedAt('coalesce(updated_at, created_at)')} where id = $1 returning *`,
    [id, name, allowed_origins, JSON.stringify(otp)],
  )
  return row!
}

/** Deletes an application and revokes its keys. Its row is kept: the activity shows its name. */
export async function removeApplication(run: Run, id: string): Promise<ApplicationRow> {
  await run(
    `update api_keys set revoked_at = now(), updated_at = ${nextUpdatedAt('coalesce(updated_at, created_at)')}
     where application_id = $1 and revoked_at is null`,
    [id],
  )
  const [row] = await run<ApplicationRow>(
    `update applications set deleted_at = now(), revision = revision + 1, managed = true, updated_at = now()
     where id = $1 returning *`,
    [id],
  )
  return row!
}

/** Publishes the state of an application in the transaction of its change. */
export async function enqueueApplicationChange(run: Run, row: ApplicationRow): Promise<void> {
  const event: ApplicationChange = {
    application_id: row.id as `app_${string}`,
    tenant_id: row.tenant_id as `ten_${string}`,
    revision: row.revision,
    allowed_origins: row.allowed_origins,
    status: row.deleted_at === null ? 'active' : 'revoked',
    otp: row.otp,
  }
  await enqueueEvents(run, applicationChanged, [{ event }])
}

/** An application as returned to operators. */
export function describeApplication(row: ApplicationRow): Application {
  return {
    application_id: row.id as `app_${string}`,
    name: row.name,
    allowed_origins: row.allowed_origins,
    otp: row.otp,
    created_at: row.created_at.toISOString(),
    updated_at: (row.updated_at ?? row.created_at).toISOString(),
  }
}
