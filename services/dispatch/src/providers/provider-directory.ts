import { type Channel, TwilioCredentials } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache } from '@notify/service-kit'
import type { Tables } from '../db/schema.ts'

/** A carrier account that can be used now. */
export interface Provider {
  id: string
  kind: 'twilio'
  credentials: TwilioCredentials
  /** Changes with the credentials, so that clients made from them are made anew. */
  revision: number
}

/** The providers of tenants in the order of their priority, remembered for a second. */
export interface ProviderDirectory {
  list(tenantId: string, applicationId: string, channel: Channel): Promise<Provider[]>
  forget(): void
}

const rememberedMs = 1000

/** Where a provider's credentials belong: nothing else can read them. */
export const credentialsPlace = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

export function createProviderDirectory(db: Database<Tables>, keyRing: KeyRing): ProviderDirectory {
  const cache = createTtlCache<Provider[]>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      const [tenantId = '', applicationId = '', channel = ''] = key.split('|')
      const rows = await db.run<{ id: string; kind: string; credentials: Buffer; revision: number }>(
        {
          name: 'list-providers',
          text: `select id, kind, credentials, revision from providers
                 where tenant_id = $1 and channel = $3 and (application_id is null or application_id = $2)
                 order by priority, id`,
        },
        [tenantId, applicationId, channel],
      )
      return rows.flatMap(({ id, kind, credentials, revision }): Provider[] => {
        if (kind !== 'twilio') return []
        const text = keyRing.decrypt(credentials, credentialsPlace(tenantId, id))
        return [{ id, kind, revision, credentials: TwilioCredentials.parse(JSON.parse(text)) }]
      })
    },
  })
  return {
    list: (tenantId, applicationId, channel) => cache.get(`${tenantId}|${applicationId}|${channel}`),
    forget: () => cache.clear(),
  }
}
