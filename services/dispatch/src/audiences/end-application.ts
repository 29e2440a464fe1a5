import type { ApplicationChange } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'
import { cancelBroadcastsOf } from './broadcasts/broadcast-store.ts'

/**
 * Cancels the broadcasts of a deleted application, also one that a request under way begins after this. Not in one transaction: a page
 * that was claimed before the application is marked belongs to a broadcast that the second statement finds.
 */
export async function endApplication({ db }: Pick<Context, 'db'>, change: ApplicationChange): Promise<void> {
  if (change.status !== 'revoked') return
  await markEnded(db.run, change)
  await cancelBroadcastsOf(db.run, change)
}

async function markEnded(
  run: Run,
  { application_id, tenant_id }: Pick<ApplicationChange, 'application_id' | 'tenant_id'>,
): Promise<void> {
  const ended = build.insertInto('ended_applications').values({ application_id, tenant_id })
  await run(ended.onConflict((known) => known.doNothing()))
}
