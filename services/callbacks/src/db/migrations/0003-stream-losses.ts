import { createStreamLossTable } from '@notify/database'
import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createStreamLossTable(db)
}
