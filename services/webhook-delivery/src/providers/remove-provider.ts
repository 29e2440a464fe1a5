import type { ProviderRemoval } from '@notify/contracts'
import type { Context } from '../context.ts'
import { eraseRemoved, markRemoved } from './removal-store.ts'

/** Erases the copy of a provider that was deleted long ago, once no subscription names it. */
export async function removeProvider({ db, log }: Context, removal: ProviderRemoval): Promise<void> {
  const { provider_id } = removal
  const isKnown = await db.transaction(async (run) => {
    if (!(await markRemoved(run, removal))) return false
    await eraseRemoved(run, provider_id)
    return true
  })
  if (isKnown) log.info({ provider_id }, 'webhook provider removed')
}
