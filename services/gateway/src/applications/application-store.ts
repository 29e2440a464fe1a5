import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'

/** Whether the tenant has this application. */
export async function ownsApplication(db: Database<Tables>, tenantId: string, id: string): Promise<boolean> {
  const found = await db.run('select 1 from applications where id = $1 and tenant_id = $2', [id, tenantId])
  return found.length > 0
}
