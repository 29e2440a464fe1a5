import type { Claim, ReceivingAccount } from '@notify/carriers/receiving'
import { idSchema } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache } from '@notify/service-kit'
import type { Tables } from '../db/schema.ts'

/** The accounts whose callbacks can be verified. */
export interface AccountDirectory {
  /** The accounts that a callback claims; several tenants may share a carrier account. */
  find(kind: string, claimed: Claim['of']): Promise<ReceivingAccount[]>
  forget(): void
}

const rememberedMs = 1000
const ProviderId = idSchema('prov')

/** The AAD of a provider's secret. */
export const credentialsPlace = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

/** Encrypts the secret of a provider for its row. */
export const sealSecret = (keyRing: KeyRing, secret: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(secret, credentialsPlace(tenantId, providerId))

interface Row {
  id: ReceivingAccount['id']
  tenant_id: ReceivingAccount['tenantId']
  sender: string | null
  credentials: Buffer | null
  topic_arns: string[]
}

const byAccount: Statement = {
  name: 'find-providers-of-account',
  text: `select id, tenant_id, sender, credentials, topic_arns from providers where kind = $1 and account_id = $2 order by id`,
}
const byId: Statement = {
  name: 'find-provider',
  text: `select id, tenant_id, sender, credentials, topic_arns from providers where kind = $1 and id = $2`,
}

/** Accounts by kind and claimed id, cached for a second. */
export function createAccountDirectory(db: Database<Tables>, keyRing: KeyRing): AccountDirectory {
  const accountOf = ({ id, tenant_id: tenantId, sender, credentials, topic_arns: topicArns }: Row) => ({
    id,
    tenantId,
    sender,
    topicArns,
    secret: credentials && keyRing.decrypt(credentials, credentialsPlace(tenantId, id)),
  })
  const remembered = (statement: Statement) =>
    createTtlCache<ReceivingAccount[]>({
      ttlMs: rememberedMs,
      maxEntries: 10_000,
      async load(key) {
        const at = key.indexOf('|')
        const rows = await db.run<Row>(statement, [key.slice(0, at), key.slice(at + 1)])
        return rows.map(accountOf)
      },
    })
  const [ofAccount, ofId] = [remembered(byAccount), remembered(byId)]
  return {
    async find(kind, claimed) {
      if ('accountId' in claimed) return ofAccount.get(`${kind}|${claimed.accountId}`)
      return ProviderId.safeParse(claimed.providerId).success ? ofId.get(`${kind}|${claimed.providerId}`) : []
    },
    forget() {
      ofAccount.clear()
      ofId.clear()
    },
  }
}
