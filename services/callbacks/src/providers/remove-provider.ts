import type { ProviderRemoval } from '@notify/contracts'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'

/** Removes a provider that was deleted long ago: late callbacks are no longer verified. */
export async function removeProvider({ db, receiving, log }: Context, removal: ProviderRemoval): Promise<void> {
  const { provider_id, tenant_id, kind, revision } = removal
  const now = sql<Date>`now()`
  const secrets = { credentials: null, verify_token: null, sender: null, topic_arns: [] }
  await db.run(
    build
      .insertInto('providers')
      .values({ id: provider_id, tenant_id, kind, revision, deleted_at: now, removed_at: now })
      .onConflict((known) =>
        known
          .column('id')
          .doUpdateSet({ revision, account_id: null, parent_id: null, ...secrets, removed_at: now, updated_at: now })
          .where('providers.revision', '<', revision),
      ),
  )
  receiving.accounts.forget()
  log.info({ provider_id }, 'provider removed')
}
