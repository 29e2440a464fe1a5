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

/** Marks the item of a message that dispatch has deleted, which publishes no fact. @returns whether the tenant has the item */
export async function setNotRetryable(db: Queries, tenantId: Id<'ten'>, id: string): Promise<boolean> {
  const item = build.updateTable('activity').set({ retryable: false }).where('id', '=', id)
  return (await db.run(item.where('tenant_id', '=', tenantId).returning('id'))).length > 0
}
