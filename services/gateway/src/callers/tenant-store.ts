import type { Id } from '@notify/contracts'
import { prepared, type Run } from '@notify/database'
import { build } from '../db/schema.ts'

const find = prepared('find-tenant', ({ id }: { id: Id<'ten'> }) =>
  build.selectFrom('tenants').select(['rate_limit_per_second', 'moved_to', 'arriving']).where('id', '=', id),
)

/** The tenant's own limit, if any, and whether another cell serves it; undefined when there is no such tenant. */
export async function findTenant(run: Run, id: Id<'ten'>) {
  const [found] = await run(find({ id }))
  return found
}

/** The tenant's name; null for a tenant of an access token that does not exist here. */
export async function findTenantName(run: Run, id: Id<'ten'>): Promise<string | null> {
  const [found] = await run(build.selectFrom('tenants').select('name').where('id', '=', id))
  return found?.name ?? null
}
