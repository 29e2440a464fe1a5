import { type ProviderChange, providerChanged, providerKinds } from '@notify/contracts'
import { openEvent, readable, UnreadableError } from '@notify/messaging'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { sealAuthToken } from './sms-providers.ts'

/** What is kept of a provider; secrets beyond those that verify callbacks are not. */
interface Kept {
  accountId?: string
  secret?: string
  sender?: string | undefined
  topicArns?: string[]
}

/** Open objects: dispatch has judged the credentials, and a newer release of it may know more fields. */
const keptOf: Record<string, z.ZodType<Kept>> = {
  twilio: z
    .object({
      account_sid: z.string(),
      auth_token: z.string(),
      from: z.string().optional(),
      messaging_service_sid: z.string().optional(),
    })
    .transform(({ account_sid, auth_token, from, messaging_service_sid }) => ({
      accountId: account_sid,
      secret: auth_token,
      sender: from ?? messaging_service_sid,
    })),
  // Comma separated: the values of credentials are texts.
  ses: z.object({ topic_arns: z.string().default('') }).transform(({ topic_arns }) => ({
    topicArns: topic_arns
      .split(',')
      .map((arn) => arn.trim())
      .filter(Boolean),
  })),
}

/** Keeps what is needed of a provider to verify its callbacks; an older change than the one known is passed over. */
export async function saveProvider(context: Context, change: ProviderChange): Promise<void> {
  const { db, keyRing, directory, log } = context
  const { provider_id, tenant_id, kind, revision } = change
  const schema = Object.hasOwn(keptOf, kind) ? keptOf[kind] : undefined
  if (!schema) {
    if (Object.hasOwn(providerKinds, kind)) return
    throw new UnreadableError('this release does not know the kind of provider')
  }
  const credentials = openEvent(keyRing, providerChanged, change)
  const kept = readable('the credentials do not fit the kind of provider', () => schema.parse(credentials))
  const { accountId = null, secret, sender = null, topicArns = [] } = kept
  const sealed = secret === undefined ? null : sealAuthToken(keyRing, secret, tenant_id, provider_id)
  await db.run(
    {
      name: 'save-provider',
      text: `insert into providers (id, tenant_id, kind, revision, account_id, credentials, sender, topic_arns)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (id) do update
               set revision = $4, account_id = $5, credentials = $6, sender = $7, topic_arns = $8, updated_at = now()
             where providers.revision < $4`,
    },
    [provider_id, tenant_id, kind, revision, accountId, sealed, sender, topicArns],
  )
  directory.sms.forget()
  directory.email.forget()
  log.info({ provider_id, revision }, 'provider saved')
}
