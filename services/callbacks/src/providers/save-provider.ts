import { receivers } from '@notify/carriers/receiving'
import { type ProviderChange, providerChanged } from '@notify/contracts'
import { openEvent, readable, UnreadableError } from '@notify/messaging'
import type { Context } from '../context.ts'
import { sealSecret } from './account-directory.ts'

/** Stores what is needed to verify a provider's callbacks; ignores older revisions. */
export async function saveProvider(context: Context, change: ProviderChange): Promise<void> {
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
  await db.run(
    {
      name: 'save-provider',
      text: `insert into providers (id, tenant_id, kind, revision, account_id, credentials, sender, topic_arns, parent_id, verify_token,
               deleted_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then now() end)
             on conflict (id) do update
               set revision = $4, account_id = $5, credentials = $6, sender = $7, topic_arns = $8, parent_id = $9,
                 verify_token = $10, deleted_at = case when $11 then now() end, updated_at = now()
             where providers.revision < $4`,
    },
    [
      provider_id,
      tenant_id,
      kind,
      revision,
      accountId,
      seal(secret),
      sender,
      topicArns,
      parentId,
      seal(verifyToken),
      change.status === 'deleted',
    ],
  )
  receiving.accounts.forget()
  log.info({ provider_id, revision }, 'provider saved')
}
