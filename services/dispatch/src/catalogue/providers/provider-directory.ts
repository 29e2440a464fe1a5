import type { CarrierAccount, SendingCarrier, SendingCarriers } from '@notify/carriers/sending'
import type { Channel } from '@notify/contracts'
import { defineStatement, type EncryptedColumn, pick, type Queries, type RowOf } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache, type Logger } from '@notify/service-kit'
import { tables } from '../../db/schema.ts'
import { createPositions, shareByWeight, type Weighted } from './share-by-weight.ts'

/** A usable carrier account with valid credentials. */
export interface Provider extends CarrierAccount<unknown> {
  kind: string
  tenantId: string
}

/** A provider with its rate and priority. */
export interface ListedProvider extends Provider {
  /** The lowest is tried first. */
  priority: number
  /** Messages per second over all replicas; `null`: unlimited. */
  rateLimitPerSecond: number | null
}

/** The providers of tenants, cached for a second. */
export interface ProviderDirectory {
  /** In the order in which they are tried for a message: by priority, and by weight among equal ones. */
  list(tenantId: string, applicationId: string, channel: Channel): Promise<ListedProvider[]>
  /** Whether the channel has a provider of any kind, also of one that another service uses. */
  has(tenantId: string, applicationId: string, channel: Channel): Promise<boolean>
  forget(): void
}

/** A context with it. */
export interface WithProviders {
  directory: { providers: ProviderDirectory }
}

const rememberedMs = 1000

const columns = pick(
  tables.providers,
  'id',
  'kind',
  'credentials',
  'revision',
  'rate_limit_per_second',
  'priority',
  'weight',
)

const select = defineStatement({
  name: 'list-providers',
  text: `
    select id, kind, credentials, revision, rate_limit_per_second, priority, weight from providers
    where tenant_id = $1 and channel = $3 and deleted_at is null and subscription_id is null
      and (application_id is null or application_id = $2)
    order by priority, id`,
  columns,
})

/** The AAD of a provider's credentials. */
const credentialsAad = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

export const credentialsColumn: EncryptedColumn = {
  table: 'providers',
  column: 'credentials',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad: credentialsAad,
}

/** Encrypts a provider's credentials for its row. */
export const sealCredentials = (keyRing: KeyRing, text: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(text, credentialsAad(tenantId, providerId))

/** Decrypts a provider's credentials. */
export const openCredentials = (keyRing: KeyRing, sealed: Buffer, tenantId: string, providerId: string): string =>
  keyRing.decrypt(sealed, credentialsAad(tenantId, providerId))

export function createProviderDirectory(
  db: Queries,
  keyRing: KeyRing,
  carriers: SendingCarriers,
  log: Logger,
): ProviderDirectory {
  const nextPosition = createPositions()
  const cache = createTtlCache<{ usable: () => ListedProvider[]; count: number }>({
    ttlMs: rememberedMs,
    maxEntries: 10_000,
    async load(key) {
      const [tenantId = '', applicationId = '', channel = ''] = key.split('|')
      const rows = await db.run(select, [tenantId, applicationId, channel])
      const faults: unknown[] = []
      const usable = rows.flatMap((row): (ListedProvider & Weighted)[] => {
        const carrier = carrierOfKind(carriers, row.kind)
        if (!carrier) return []
        try {
          return [listed(row, tenantId, carrier)]
        } catch (error) {
          log.error({ provider_id: row.id, err: error }, 'the credentials of a provider cannot be read')
          faults.push(error)
          return []
        }
      })
      // Without another provider the messages wait until the key is back.
      if (usable.length === 0 && faults.length > 0) throw faults[0]
      return { usable: shareByWeight(usable, nextPosition), count: rows.length }
    },
  })
  const listed = (row: RowOf<typeof columns>, tenantId: string, carrier: SendingCarrier) => {
    const { id, kind, revision, rate_limit_per_second: rateLimitPerSecond, priority, weight } = row
    const text = openCredentials(keyRing, row.credentials, tenantId, id)
    const credentials = carrier.credentials.parse(JSON.parse(text))
    return { id, kind, tenantId, revision, credentials, rateLimitPerSecond, priority, weight }
  }
  const providersOf = (tenantId: string, applicationId: string, channel: Channel) =>
    cache.get(`${tenantId}|${applicationId}|${channel}`)
  return {
    list: async (...owner) => (await providersOf(...owner)).usable(),
    has: async (...owner) => (await providersOf(...owner)).count > 0,
    forget: () => cache.clear(),
  }
}

/** The carrier of a kind of provider; `undefined` when dispatch does not support it. */
export function carrierOfKind(carriers: SendingCarriers, kind: string): SendingCarrier | undefined {
  return Object.hasOwn(carriers, kind) ? carriers[kind] : undefined
}
