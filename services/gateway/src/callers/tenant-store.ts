import type { Id } from '@notify/contracts'
import { prepared, type Run } from '@notify/database'
import { build } from '../db/schema.ts'

const findLimit = prepared('find-tenant-limit', ({ id }: { id: Id<'ten'> }) =>
  build.selectFrom('tenants').select('rate_limit_per_second').where('id', '=', id),
)

/** The tenant's own limit, if any; undefined when there is no such tenant. */
export async function findTenantLimit(run: Run, id: Id<'ten'>): Promise<number | null | undefined> {
  const [found] = await run(findLimit({ id }))
  return found?.rate_limit_per_second
}

/** The tenant's name; null for a tenant of an access token that does not exist here. */
export async function findTenantName(run: Run, id: Id<'ten'>): Promise<string | null> {
  const [found] = await run(build.selectFrom('tenants').select('name').where('id', '=', id))
  return found?.name ?? null
}
