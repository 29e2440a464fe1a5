import { type ProviderChange, providerChanged } from '@notify/contracts'
import { openEvent, readable } from '@notify/messaging'
import type { Context } from '../context.ts'
import { saveProviderRow } from './provider-store.ts'
import { readCopy } from './read-copy.ts'

const kind = 'webhook'

/** Keeps the copy of a webhook provider that signing needs. */
export async function saveProvider({ db, log, secrets }: Context, change: ProviderChange): Promise<void> {
  if (change.kind !== kind) return
  const { provider_id: id, tenant_id, revision, application_id, priority } = change
  const credentials = openEvent(secrets.keyRing, providerChanged, change)
  const [own, isDeleted] = [change.subscription_id !== undefined, change.status === 'deleted']
  const fields = { id, tenant_id, application_id, own, priority, revision, isDeleted }
  const copy = readable('the credentials are not those of a webhook provider', () =>
    readCopy(secrets.keyRing, { ...fields, credentials }),
  )
  await saveProviderRow(db.run, copy)
  log.info({ provider_id: id, revision }, 'webhook provider saved')
}
