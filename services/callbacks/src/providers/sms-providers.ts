import type { Database } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache } from '@notify/service-kit'
import type { Tables } from '../db/schema.ts'

/** An account whose callbacks can be verified. */
export interface SmsProvider {
  id: `prov_${string}`
  tenantId: `ten_${string}`
  /** The number, or the messaging service, that it sends from. */
  sender: string | null
  authToken: string
}

export interface SmsProviders {
  /** The providers of a carrier account; several tenants may use one account. */
  ofAccount(accountSid: string): Promise<SmsProvider[]>
  forget(): void
}

const rememberedMs = 1000

/** Where a provider's auth token belongs: nothing else can read it. */
export const credentialsPlace = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

/** Encrypts the auth token of a provider for its row. */
export const sealAuthToken = (keyRing: KeyRing, token: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(token, credentialsPlace(tenantId, providerId))

interface Row {
  id: SmsProvider['id']
  tenant_id: SmsProvider['tenantId']
  sender: string | null
  credentials: Buffer
}

/** The SMS providers by account, remembered for a second. */
export function createSmsProviders(db: Database<Tables>, keyRing: KeyRing): SmsProviders {
  const cache = createTtlCache<SmsProvider[]>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(accountSid) {
      const rows = await db.run<Row>(
        {
          name: 'find-providers-of-account',
          text: `select id, tenant_id, sender, credentials from providers where kind = 'twilio' and account_id = $1 order by id`,
        },
        [accountSid],
      )
      return rows.map(({ id, tenant_id: tenantId, sender, credentials }) => ({
        id,
        tenantId,
        sender,
        authToken: keyRing.decrypt(credentials, credentialsPlace(tenantId, id)),
      }))
    },
  })
  return { ofAccount: (accountSid) => cache.get(accountSid), forget: () => cache.clear() }
}
