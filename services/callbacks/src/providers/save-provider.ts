import { receivers } from '@notify/carriers/receiving'
import { type ProviderChange, providerChanged } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { openEvent, readable, UnreadableError } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { type AccountDirectory, sealSecret } from './account-directory.ts'

/** What saving a provider needs. */
export interface SavingContext {
  db: Queries
  keyRing: KeyRing
  receiving: { accounts: AccountDirectory }
  log: Logger
}

/** Stores what is needed to verify a provider's callbacks; ignores older revisions. */
export async function saveProvider(context: SavingContext, change: ProviderChange): Promise<void> {
  const { db, keyRing, receiving, log } = context
  const { provider_id, tenant_id, kind, revision } = change
  const receiver = Object.hasOwn(receivers, kind) ? receivers[kind] : undefined
  if (receiver === undefined) throw new UnreadableError('this release does not support the kind of provider')
  if (receiver === null) return
  const credentials = openEvent(keyRing, providerChanged, change)
  const kept = readable('the credentials do not fit the kind of provider', () => receiver.keep.parse(credentials))
  const { accountId = null, parentId = null, secret, verifyToken, sender = null, topicArns = [] } = kept
  const seal = (text: string | undefined) =>
    text === undefined ? null : sealSecret(keyRing, text, tenant_id, provider_id)
  const row = {
    ...{ revision, account_id: accountId, parent_id: parentId, sender, topic_arns: topicArns },
    ...{ credentials: seal(secret), verify_token: seal(verifyToken) },
    deleted_at: change.status === 'deleted' ? sql<Date>`now()` : null,
  }
  await db.run(
    build
      .insertInto('providers')
      .values({ id: provider_id, tenant_id, kind, ...row })
      .onConflict((known) =>
        known
          .column('id')
          .doUpdateSet({ ...row, updated_at: sql<Date>`now()` })
          .where('providers.revision', '<', revision),
      ),
  )
  receiving.accounts.forget()
  log.info({ provider_id, revision }, 'provider saved')
}
