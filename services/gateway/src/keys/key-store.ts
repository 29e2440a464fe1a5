import type { ApiKey, Id, KeyMode, KeyPermission, KeyPrincipal } from '@notify/contracts'
import { nextUpdatedAt, type Run, requireRoom, type Statement } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

/** A valid API key. */
export interface StoredKey extends Omit<KeyPrincipal, 'kind'> {
  sha256: string
  key_limit: number | null
  tenant_limit: number | null
}

const findValid: Statement = {
  name: 'find-key',
  text: `select k.id as key_id, k.mode, k.tenant_id, k.application_id, k.permissions, k.sha256,
           k.rate_limit_per_second as key_limit, t.rate_limit_per_second as tenant_limit
         from api_keys k join tenants t on t.id = k.tenant_id
           join applications a on a.id = k.application_id and a.deleted_at is null
         where k.id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
}

/** Finds a key that is neither revoked nor expired. */
export async function findKey(run: Run, keyId: string): Promise<StoredKey | undefined> {
  return (await run<StoredKey>(findValid, [keyId]))[0]
}

export type KeyRow = Selectable<Tables['api_keys']>

export interface NewKey {
  id: string
  tenantId: string
  applicationId: string
  name: string
  mode: KeyMode
  permissions: readonly KeyPermission[]
  sha256: string
  rateLimit: number | null
  /** The key that it replaces. */
  predecessorId?: string
}

/** @throws Problem `api_key_limit_reached`; revoked and expired keys do not count */
export function requireRoomForKey(run: Run, applicationId: Id<'app'>, most: number): Promise<void> {
  const rows = build
    .selectFrom('api_keys')
    .select('id')
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
  const [code, what] = ['api_key_limit_reached', 'active API keys of an application'] as const
  return requireRoom(run, { code, what, rows, owner: [applicationId], most })
}

export async function insertKey(run: Run, key: NewKey): Promise<KeyRow> {
  const [row] = await run<KeyRow>(
    `insert into api_keys (id, tenant_id, application_id, name, mode, permissions, sha256, rate_limit_per_second,
       predecessor_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`,
    [
      ...[key.id, key.tenantId, key.applicationId, key.name, key.mode, key.permissions, key.sha256, key.rateLimit],
      key.predecessorId ?? null,
    ],
  )
  return row!
}

/** Identifies a key and its application. */
export interface KeyAddress {
  tenantId: string
  applicationId: string
  keyId: string
}

const ofAddress = 'id = $1 and tenant_id = $2 and application_id = $3'
const valuesOf = ({ tenantId, applicationId, keyId }: KeyAddress) => [keyId, tenantId, applicationId]

export async function findKeyRow(run: Run, address: KeyAddress): Promise<KeyRow | undefined> {
  return (await run<KeyRow>(`select * from api_keys where ${ofAddress}`, valuesOf(address)))[0]
}

/** Finds a key and locks it until the transaction ends. */
export async function lockKeyRow(run: Run, address: KeyAddress): Promise<KeyRow | undefined> {
  return (await run<KeyRow>(`select * from api_keys where ${ofAddress} for update`, valuesOf(address)))[0]
}

/** The keys of an application, newest first. */
export function listKeyRows(
  run: Run,
  { applicationId, after, limit }: { applicationId: string; after: string | undefined; limit: number },
): Promise<KeyRow[]> {
  return run<KeyRow>(
    `select * from api_keys where application_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
    [applicationId, after ?? null, limit],
  )
}

/** Keys of releases without `updated_at`, and those that nobody has changed, have none. */
const changed = `updated_at = ${nextUpdatedAt('coalesce(updated_at, created_at)')}`

export async function markRevoked(run: Run, keyId: string): Promise<KeyRow> {
  const text = `update api_keys set revoked_at = now(), ${changed} where id = $1 returning *`
  return (await run<KeyRow>(text, [keyId]))[0]!
}

/** What an operator may change of a key. */
export type KeySettings = Pick<KeyRow, 'name' | 'permissions' | 'rate_limit_per_second'>

export async function updateKey(run: Run, keyId: string, settings: KeySettings): Promise<KeyRow> {
  const { name, permissions, rate_limit_per_second } = settings
  const [row] = await run<KeyRow>(
    `update api_keys set name = $2, permissions = $3, rate_limit_per_second = $4, ${changed}
     where id = $1 returning *`,
    [keyId, name, permissions, rate_limit_per_second],
  )
  return row!
}

/** The previous key of a rotation that this active key is part of, while its overlap lasts. */
export async function findRotated(run: Run, key: KeyRow): Promise<KeyRow | undefined> {
  if (key.expires_at !== null) return key
  const text = 'select * from api_keys where id = $1 and revoked_at is null and expires_at > now()'
  return key.predecessor_id === null ? undefined : (await run<KeyRow>(text, [key.predecessor_id]))[0]
}

/** Ends a key after the overlap. */
export async function expireKey(run: Run, keyId: string, overlapSeconds: number): Promise<KeyRow> {
  const [row] = await run<KeyRow>(
    `update api_keys set expires_at = now() + make_interval(secs => $2), ${changed}
     where id = $1 returning *`,
    [keyId, overlapSeconds],
  )
  return row!
}

/** A key as returned to operators, without its secret. */
export function describeKey(row: KeyRow): ApiKey {
  const expired = row.expires_at !== null && row.expires_at.getTime() <= Date.now()
  return {
    key_id: row.id as `key_${string}`,
    application_id: row.application_id as `app_${string}`,
    name: row.name,
    mode: row.mode,
    permissions: row.permissions,
    rate_limit_per_second: row.rate_limit_per_second,
    status: row.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active',
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: (row.updated_at ?? row.created_at).toISOString(),
  }
}
