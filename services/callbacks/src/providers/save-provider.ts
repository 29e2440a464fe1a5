import { type ProviderChange, TwilioCredentials } from '@notify/contracts'
import { PermanentError } from '@notify/messaging'
import type { Context } from '../context.ts'
import { credentialsPlace } from './sms-providers.ts'

/** Where the credentials belong while they travel on the bus. */
const eventPlace = (tenantId: string, providerId: string) => `dispatch.provider.changed|${tenantId}|${providerId}`

/** Keeps what is needed of a provider to verify its signatures; an older change than the one known is passed over. */
export async function saveProvider({ db, keyRing, smsProviders, log }: Context, change: ProviderChange): Promise<void> {
  if (change.kind !== 'twilio') return
  const text = keyRing.decrypt(
    Buffer.from(change.credentials, 'base64'),
    eventPlace(change.tenant_id, change.provider_id),
  )
  const parsed = TwilioCredentials.safeParse(JSON.parse(text))
  if (!parsed.success) throw new PermanentError('the credentials do not fit the kind of provider')
  const sealed = keyRing.encrypt(parsed.data.auth_token, credentialsPlace(change.tenant_id, change.provider_id))
  await db.run(
    {
      name: 'save-provider',
      text: `insert into providers (id, tenant_id, kind, revision, account_id, credentials) values ($1, $2, $3, $4, $5, $6)
             on conflict (id) do update set revision = $4, account_id = $5, credentials = $6, updated_at = now()
             where providers.revision < $4`,
    },
    [change.provider_id, change.tenant_id, change.kind, change.revision, parsed.data.account_sid, sealed],
  )
  smsProviders.forget()
  log.info({ provider_id: change.provider_id, revision: change.revision }, 'provider saved')
}
