import type { Id } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { build } from '../db/schema.ts'

/** The revisions in a range of the activity, by id. */
export function listRevisions(db: Queries, { after, until, limit }: { after: string; until: string; limit: number }) {
  return db.run(
    build
      .selectFrom('activity')
      .select(['id', 'revision'])
      .where('id', '>', after)
      .where('id', '<=', until)
      .orderBy('id')
      .limit(limit),
  )
}

/** Whether the trail of a tenant has the item. */
export async function hasItem(db: Queries, tenantId: Id<'ten'>, id: string): Promise<boolean> {
  const item = build.selectFrom('activity').select('id').where('id', '=', id).where('tenant_id', '=', tenantId)
  return (await db.run(item)).length > 0
}
