import type { Database } from '@notify/database'
import type { Tables } from '../../db/schema.ts'

/** The kinds of all providers. */
export async function listKinds(db: Database<Tables>): Promise<string[]> {
  const rows = await db.run<{ kind: string }>('select distinct kind from providers where deleted_at is null', [])
  return rows.map(({ kind }) => kind)
}
