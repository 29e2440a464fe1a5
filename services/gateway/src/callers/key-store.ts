import type { KeyPrincipal } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'

/** A valid API key. */
export interface StoredKey extends Omit<KeyPrincipal, 'kind'> {
  sha256: string
  key_limit: number | null
  tenant_limit: number | null
}

/** Finds a key that is not revoked. */
export async function findKey(db: Database<Tables>, keyId: string): Promise<StoredKey | undefined> {
  const [found] = await db.run<StoredKey>(
    {
      name: 'find-key',
      text: `select k.id as key_id, k.mode, k.tenant_id, k.application_id, k.permissions, k.sha256,
               k.rate_limit_per_second as key_limit, t.rate_limit_per_second as tenant_limit
             from api_keys k join tenants t on t.id = k.tenant_id
             where k.id = $1 and k.revoked_at is null`,
    },
    [keyId],
  )
  return found
}

/** The tenant's own limit, if any. */
export async function findTenantLimit(db: Database<Tables>, tenantId: string): Promise<number | null> {
  const [found] = await db.run<{ rate_limit_per_second: number | null }>(
    { name: 'find-tenant-limit', text: 'select rate_limit_per_second from tenants where id = $1' },
    [tenantId],
  )
  return found?.rate_limit_per_second ?? null
}
