import type { ProviderRemoval } from '@notify/contracts'
import type { Context } from '../context.ts'

/** Forgets a provider that was deleted long ago: its callbacks are not verified any more. */
export async function removeProvider({ db, receiving, log }: Context, removal: ProviderRemoval): Promise<void> {
  const { provider_id, revision } = removal
  await db.run('delete from providers where id = $1 and revision < $2', [provider_id, revision])
  receiving.accounts.forget()
  log.info({ provider_id }, 'provider removed')
}
