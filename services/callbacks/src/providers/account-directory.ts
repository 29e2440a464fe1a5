import type { Claim, ReceivingAccount } from '@notify/carriers/receiving'
import { type Id, idSchema } from '@notify/contracts'
import { prepared, type Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { createTtlCache, type Logger } from '@notify/service-kit'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

/** The accounts of a claim; a tenant whose secret cannot be decrypted does not stop those that share its account. */
export interface FoundAccounts {
  accounts: ReceivingAccount[]
  /** Why an account cannot be used. */
  faults: unknown[]
}

/** The accounts of a whole claim. */
export interface ClaimedAccounts extends FoundAccounts {
  /** Ids of accounts or providers that are unknown here. */
  unknownIds: readonly string[]
  /** A known account of which no provider has the addressed senders: another tenant may have connected them just now. */
  incomplete: { id: string; senders: string } | undefined
}

/** The accounts whose callbacks can be verified. */
export interface AccountDirectory {
  /** The accounts that a callback claims; several tenants may share a carrier account. */
  find(kind: string, claimed: Claim['of']): Promise<ClaimedAccounts>
  forget(): void
}

const rememberedMs = 1000
const ProviderId = idSchema('prov')

/** The AAD of a provider's secret. */
export const credentialsAad = (tenantId: string, providerId: string) => `providers|${tenantId}|${providerId}`

/** Encrypts the secret of a provider for its row. */
export const sealSecret = (keyRing: KeyRing, secret: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(secret, credentialsAad(tenantId, providerId))

const shown = [
  ...(['id', 'tenant_id', 'account_id', 'parent_id', 'sender', 'credentials', 'verify_token'] as const),
  ...(['topic_arns', 'deleted_at'] as const),
] as const

type Row = Pick<Selectable<Tables['providers']>, (typeof shown)[number]>

const ofKind = (kind: string) => build.selectFrom('providers').select(shown).where('kind', '=', kind)

const byAccount = prepared('find-providers-of-account', ({ kind, id }: { kind: string; id: string }) =>
  ofKind(kind).where('account_id', '=', id).orderBy('id'),
)
const byParent = prepared('find-providers-of-parent', ({ kind, id }: { kind: string; id: string }) =>
  ofKind(kind).where('parent_id', '=', id).orderBy('id'),
)
const byId = prepared('find-provider', ({ kind, id }: { kind: string; id: Id<'prov'> }) =>
  ofKind(kind).where('id', '=', id).where('removed_at', 'is', null),
)

const lacksSender = ({ accounts, faults }: FoundAccounts, senders: readonly string[]): boolean =>
  accounts.length > 0 && faults.length === 0 && !accounts.some(({ sender }) => sender && senders.includes(sender))

/** Accounts by kind and claimed id, cached for a second. */
export function createAccountDirectory(db: Queries, keyRing: KeyRing, log: Logger): AccountDirectory {
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
  const remembered = (query: typeof byAccount) =>
    createTtlCache<FoundAccounts>({
      ttlMs: rememberedMs,
      maxEntries: 10_000,
      async load(key) {
        const at = key.indexOf('|')
        const rows = await db.run(query({ kind: key.slice(0, at), id: key.slice(at + 1) }))
        // An account that its tenant has connected again is reported once, for the provider in use.
        const inUse = new Set(rows.filter((row) => !row.deleted_at).map((row) => row.tenant_id))
        return readable(rows.filter((row) => !row.deleted_at || !inUse.has(row.tenant_id)))
      },
    })
  const ofProvider = ({ kind, id }: { kind: string; id: string }) => byId({ kind, id: ProviderId.parse(id) })
  const [ofAccount, ofParent, ofId] = [remembered(byAccount), remembered(byParent), remembered(ofProvider)]
  const lookUp = (claimed: Claim['of']): [typeof ofId, readonly string[]] => {
    if ('accountIds' in claimed) return [ofAccount, claimed.accountIds]
    if ('accountId' in claimed) return [ofAccount, [claimed.accountId]]
    return [ofId, ProviderId.safeParse(claimed.providerId).success ? [claimed.providerId] : []]
  }
  return {
    async find(kind, claimed) {
      const [directory, ids] = lookUp(claimed)
      const own = await Promise.all(ids.map((id) => directory.get(`${kind}|${id}`)))
      const parentIds = 'parentIds' in claimed ? claimed.parentIds : []
      const found = [...own, ...(await Promise.all(parentIds.map((id) => ofParent.get(`${kind}|${id}`))))]
      const accounts = new Map(found.flatMap((one) => one.accounts.map((account) => [account.id, account])))
      const [first] = own
      return {
        accounts: [...accounts.values()],
        incomplete:
          'senders' in claimed && first && lacksSender(first, claimed.senders)
            ? { id: claimed.accountId, senders: claimed.senders.join(' ') }
            : undefined,
        faults: found.flatMap(({ faults }) => faults),
        unknownIds: ids
          .filter((_, at) => own[at]!.accounts.length === 0 && own[at]!.faults.length === 0)
          .map((id) => ('addressId' in claimed && claimed.addressId) || id),
      }
    },
    forget() {
      ofAccount.clear()
      ofParent.clear()
      ofId.clear()
    },
  }
}
