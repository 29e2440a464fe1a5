import type { Claim, ReceivingAccount } from '@notify/carriers/receiving'
import { idSchema } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache, type Logger } from '@notify/service-kit'
import type { Tables } from '../db/schema.ts'

/** The accounts of a claim; a tenant whose secret cannot be decrypted does not stop those that share its account. */
export interface FoundAccounts {
  accounts: ReceivingAccount[]
  /** Why an account is missing. */
  faults: unknown[]
}

/** The accounts whose callbacks can be verified. */
export interface AccountDirectory {
  /** The accounts that a callback claims; several tenants may share a carrier account. */
  find(kind: string, claimed: Claim['of']): Promise<FoundAccounts>
  forget(): void
}

const rememberedMs = 1000
const none: FoundAccounts = { accounts: [], faults: [] }
const ProviderId = idSchema('prov')

/** The AAD of a provider's secret. */
export const credentialsAad = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

/** Encrypts the secret of a provider for its row. */
export const sealSecret = (keyRing: KeyRing, secret: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(secret, credentialsAad(tenantId, providerId))

interface Row {
  id: ReceivingAccount['id']
  tenant_id: ReceivingAccount['tenantId']
  account_id: string | null
  parent_id: string | null
  sender: string | null
  credentials: Buffer | null
  verify_token: Buffer | null
  topic_arns: string[]
  deleted_at: Date | null
}

const columns = 'id, tenant_id, account_id, parent_id, sender, credentials, verify_token, topic_arns, deleted_at'

const byAccount: Statement = {
  name: 'find-providers-of-account',
  text: `select ${columns} from providers where kind = $1 and account_id = $2 order by id`,
}
const byParent: Statement = {
  name: 'find-providers-of-parent',
  text: `select ${columns} from providers where kind = $1 and parent_id = $2 order by id`,
}
const byId: Statement = {
  name: 'find-provider',
  text: `select ${columns} from providers where kind = $1 and id = $2 and removed_at is null`,
}

/** Accounts by kind and claimed id, cached for a second. */
export function createAccountDirectory(db: Database<Tables>, keyRing: KeyRing, log: Logger): AccountDirectory {
  const accountOf = (row: Row): ReceivingAccount => {
    const { id, tenant_id: tenantId, sender, topic_arns: topicArns } = row
    const open = (sealed: Buffer | null) => sealed && keyRing.decrypt(sealed, credentialsAad(tenantId, id))
    return {
      id,
      tenantId,
      accountId: row.account_id,
      parentId: row.parent_id,
      sender,
      topicArns,
      secret: open(row.credentials),
      verifyToken: open(row.verify_token),
    }
  }
  const readable = (rows: readonly Row[]): FoundAccounts => {
    const faults: unknown[] = []
    const accounts = rows.flatMap((row) => {
      try {
        return [accountOf(row)]
      } catch (error) {
        log.error({ provider_id: row.id, err: error }, 'the secret of a provider cannot be read')
        faults.push(error)
        return []
      }
    })
    return { accounts, faults }
  }
  const remembered = (statement: Statement) =>
    createTtlCache<FoundAccounts>({
      ttlMs: rememberedMs,
      maxEntries: 10_000,
      async load(key) {
        const at = key.indexOf('|')
        const rows = await db.run<Row>(statement, [key.slice(0, at), key.slice(at + 1)])
        // An account that its tenant has connected again is reported once, for the provider in use.
        const inUse = new Set(rows.filter((row) => !row.deleted_at).map((row) => row.tenant_id))
        return readable(rows.filter((row) => !row.deleted_at || !inUse.has(row.tenant_id)))
      },
    })
  const [ofAccount, ofParent, ofId] = [remembered(byAccount), remembered(byParent), remembered(byId)]
  return {
    async find(kind, claimed) {
      if ('accountIds' in claimed) {
        const found = await Promise.all([
          ...claimed.accountIds.map((id) => ofAccount.get(`${kind}|${id}`)),
          ...claimed.parentIds.map((id) => ofParent.get(`${kind}|${id}`)),
        ])
        const accounts = new Map(found.flatMap((one) => one.accounts.map((account) => [account.id, account])))
        return { accounts: [...accounts.values()], faults: found.flatMap(({ faults }) => faults) }
      }
      if ('accountId' in claimed) return ofAccount.get(`${kind}|${claimed.accountId}`)
      return ProviderId.safeParse(claimed.providerId).success ? ofId.get(`${kind}|${claimed.providerId}`) : none
    },
    forget() {
      ofAccount.clear()
      ofParent.clear()
      ofId.clear()
    },
  }
}
