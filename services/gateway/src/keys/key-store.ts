import type { ApiKey, Id, KeyMode, KeyPermission } from '@notify/contracts'
import { nextUpdatedAt, prepared, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql, type UpdateObject } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

const findValid = prepared('find-key', ({ id }: { id: Id<'key'> }) =>
  build
    .selectFrom('api_keys as k')
    .innerJoin('tenants as t', 't.id', 'k.tenant_id')
    .innerJoin('applications as a', (join) =>
      join.onRef('a.id', '=', 'k.application_id').on('a.deleted_at', 'is', null),
    )
    .select(['k.id as key_id', 'k.mode', 'k.tenant_id', 'k.application_id', 'k.permissions', 'k.sha256'])
    .select(['k.rate_limit_per_second as key_limit', 't.rate_limit_per_second as tenant_limit'])
    .select(['a.default_locale', 'a.default_time_zone', 'a.bulk_requires_topic'])
    .select(['t.moved_to', 't.arriving'])
    .where('k.id', '=', id)
    .where('k.revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('k.expires_at', 'is', null), eb('k.expires_at', '>', sql<Date>`now()`)])),
)

/** Finds a key that is neither revoked nor expired. */
export async function findKey(run: Run, id: Id<'key'>) {
  const [key] = await run(findValid({ id }))
  return key
}

export type KeyRow = Selectable<Tables['api_keys']>

export interface NewKey {
  id: Id<'key'>
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  name: string
  mode: KeyMode
  permissions: readonly KeyPermission[]
  sha256: string
  rateLimit: number | null
  /** The key that it replaces. */
  predecessorId?: Id<'key'>
}

/** The keys of an application that are neither revoked nor expired. */
const activeKeysOf = (applicationId: Id<'app'>) =>
  build
    .selectFrom('api_keys')
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))

/** Finds the active keys of an application and locks them until the transaction ends. */
export function lockActiveKeys(run: Run, applicationId: Id<'app'>): Promise<KeyRow[]> {
  return run(activeKeysOf(applicationId).selectAll().orderBy('id').forUpdate())
}

/** @throws Problem `api_key_limit_reached`; revoked and expired keys do not count */
export function requireRoomForKey(run: Run, applicationId: Id<'app'>, most: number): Promise<void> {
  const rows = activeKeysOf(applicationId).select('id')
  const [code, what] = ['api_key_limit_reached', 'active API keys of an application'] as const
  return requireRoom(run, { code, what, rows, owner: [applicationId], most })
}

export async function insertKey(run: Run, key: NewKey): Promise<KeyRow> {
  const { id, tenantId, applicationId, name, mode, permissions, sha256, rateLimit, predecessorId = null } = key
  const [row] = await run(
    build
      .insertInto('api_keys')
      .values({
        ...{
          id,
          tenant_id: tenantId,
          application_id: applicationId,
          name,
          mode,
          permissions: [...permissions],
          sha256,
        },
        ...{ rate_limit_per_second: rateLimit, predecessor_id: predecessorId },
      })
      .returningAll(),
  )
  return row!
}

/** Identifies a key and its application. */
export interface KeyAddress {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  keyId: Id<'key'>
}

const keyAt = ({ tenantId, applicationId, keyId }: KeyAddress) =>
  build
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .where('application_id', '=', applicationId)

export async function findKeyRow(run: Run, address: KeyAddress): Promise<KeyRow | undefined> {
  return (await run(keyAt(address)))[0]
}

/** Finds a key and locks it until the transaction ends. */
export async function lockKeyRow(run: Run, address: KeyAddress): Promise<KeyRow | undefined> {
  return (await run(keyAt(address).forUpdate()))[0]
}

/** The keys of an application, newest first. */
export function listKeyRows(
  run: Run,
  {
    applicationId,
    mode,
    after,
    limit,
  }: { applicationId: Id<'app'>; mode: KeyMode | undefined; after: Id<'key'> | undefined; limit: number },
): Promise<KeyRow[]> {
  const keys = build
    .selectFrom('api_keys')
    .selectAll()
    .where('application_id', '=', applicationId)
    .$if(mode !== undefined, (query) => query.where('mode', '=', mode!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(keys.orderBy('id', 'desc').limit(limit))
}

/** Changes a key. */
async function change(run: Run, id: Id<'key'>, fields: UpdateObject<Tables, 'api_keys'>): Promise<KeyRow> {
  const updated_at = sql<Date>`${sql.raw(nextUpdatedAt())}`
  const [row] = await run(
    build
      .updateTable('api_keys')
      .set({ ...fields, updated_at })
      .where('id', '=', id)
      .returningAll(),
  )
  return row!
}

export function markRevoked(run: Run, id: Id<'key'>): Promise<KeyRow> {
  return change(run, id, { revoked_at: sql<Date>`now()` })
}

/** What an operator may change of a key. */
export type KeySettings = Pick<KeyRow, 'name' | 'permissions' | 'rate_limit_per_second'>

export function updateKey(run: Run, id: Id<'key'>, settings: KeySettings): Promise<KeyRow> {
  const { name, permissions, rate_limit_per_second } = settings
  return change(run, id, { name, permissions, rate_limit_per_second, managed: true })
}

/** The previous key of a rotation that this active key is part of, while its overlap lasts. */
export async function findRotated(run: Run, key: KeyRow): Promise<KeyRow | undefined> {
  if (key.expires_at !== null) return key
  if (key.predecessor_id === null) return undefined
  const [previous] = await run(
    build
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', key.predecessor_id)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', sql<Date>`now()`),
  )
  return previous
}

/** Ends a key after the overlap. */
export function expireKey(run: Run, id: Id<'key'>, overlapSeconds: number): Promise<KeyRow> {
  return change(run, id, { expires_at: sql<Date>`now() + make_interval(secs => ${overlapSeconds})` })
}

/** A key as returned to operators, without its secret. */
export function describeKey(row: KeyRow): ApiKey {
  const expired = row.expires_at !== null && row.expires_at.getTime() <= Date.now()
  return {
    key_id: row.id,
    application_id: row.application_id,
    name: row.name,
    mode: row.mode,
    permissions: row.permissions,
    rate_limit_per_second: row.rate_limit_per_second,
    status: row.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active',
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
