import type { Id, ProviderRemoval } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'

const mark = defineStatement({
  name: 'mark-removed-provider',
  text: `
    update providers set revision = $2, deleted_at = coalesce(deleted_at, now()), removed_at = now()
    where id = $1 and revision < $2 returning id`,
  columns: pick(tables.providers, 'id'),
})

/** Records that dispatch has erased a provider. @returns false unless there is a copy of it, in an older revision */
export async function markRemoved(run: Run, { provider_id, revision }: ProviderRemoval): Promise<boolean> {
  return (await run(mark, [provider_id, revision])).length > 0
}

/** Of several subscriptions that stop naming it while it is removed, the last one has to see the others and the removal. */
const lock = defineStatement({
  name: 'lock-removed-provider',
  text: `select id from providers where id = $1 for update`,
  columns: pick(tables.providers, 'id'),
})

/** The row stays, so that a late event does not bring the secret back. */
const erase = defineStatement({
  name: 'erase-removed-provider',
  text: `
    update providers p set secret = null, previous_secret = null, previous_until = null, older_secret = null, older_until = null,
      updated_at = now()
    where id = $1 and removed_at is not null and secret is not null and not exists (select from subscriptions s where s.tenant_id = p.tenant_id and s.provider_id = p.id)`,
})

/** Erases the secrets of a removed provider that no subscription names. To be called when one names it no longer. */
export async function eraseRemoved(run: Run, id: Id<'prov'>): Promise<void> {
  await run(lock, [id])
  await run(erase, [id])
}
