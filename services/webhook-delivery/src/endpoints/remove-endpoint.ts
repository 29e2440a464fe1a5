import type { Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

/** Ends an endpoint at once. Its deliveries are removed in the background. */
export async function removeEndpoint(run: Run, id: string): Promise<void> {
  await run(build.updateTable('endpoints').set({ active: false, deleted_at: sql<Date>`now()` }).where('id', '=', id))
}
