import type { Run } from '@notify/database'

/** The tenant's own limit, if any; undefined when there is no such tenant. */
export async function findTenantLimit(run: Run, tenantId: string): Promise<number | null | undefined> {
  const [found] = await run<{ rate_limit_per_second: number | null }>(
    { name: 'find-tenant-limit', text: 'select rate_limit_per_second from tenants where id = $1' },
    [tenantId],
  )
  return found?.rate_limit_per_second
}

/** The tenant's name; null for a tenant of an access token that does not exist here. */
export async function findTenantName(run: Run, tenantId: string): Promise<string | null> {
  const [found] = await run<{ name: string }>('select name from tenants where id = $1', [tenantId])
  return found?.name ?? null
}
