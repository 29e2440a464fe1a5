import type { Queries } from '@notify/database'
import { build } from '../../db/schema.ts'

/** The kinds of all providers. */
export async function listKinds(db: Queries): Promise<string[]> {
  const rows = await db.run(build.selectFrom('providers').select('kind').distinct().where('deleted_at', 'is', null))
  return rows.map(({ kind }) => kind)
}
