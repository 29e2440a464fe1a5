import type { ProviderRemoval } from '@notify/contracts'
import type { Context } from '../context.ts'

/** Forgets a provider that was deleted long ago: its callbacks are not verified any more, whatever arrives late. */
export async function removeProvider({ db, receiving, log }: Context, removal: ProviderRemoval): Promise<void> {
  const { provider_id, tenant_id, kind, revision } = removal
  await db.run(
    `insert into providers (id, tenant_id, kind, revision, deleted_at, removed_at) values ($1, $2, $3, $4, now(), now())
     on conflict (id) do update
       set revision = $4, account_id = null, parent_id = null, credentials = null, verify_token = null, sender = null, topic_arns = '{}',
         removed_at = now(), updated_at = now()
     where providers.revision < $4`,
    [provider_id, tenant_id, kind, revision],
  )
  receiving.accounts.forget()
  log.info({ provider_id }, 'provider removed')
}
