import type { ProviderRemoval } from '@notify/contracts'
import type { Context } from '../context.ts'
import { eraseRemoved, markRemoved } from './removal-store.ts'

/** Erases the copy of a provider that was deleted long ago, once no subscription names it. */
export async function removeProvider({ db, log }: Context, removal: ProviderRemoval): Promise<void> {
  if (removal.kind !== 'webhook') return
  await db.transaction(async (run) => {
    await markRemoved(run, removal)
    await eraseRemoved(run, removal.provider_id)
  })
  log.info({ provider_id: removal.provider_id }, 'webhook provider removed')
}
