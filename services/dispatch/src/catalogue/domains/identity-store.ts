import type { DomainIdentity, SendingCarrier, SendingCarriers } from '@notify/carriers/sending'
import { claimDueSql, type Run } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../db/schema.ts'
import { carrierOfKind, openCredentials } from '../providers/provider-directory.ts'
import { mailFromOf } from './domain-records.ts'
import { privateKeyAad } from './domain-store.ts'

type IdentityRow = Selectable<Tables['domain_identities']>

type IdentityId = Pick<IdentityRow, 'domain_id' | 'provider_id'>

/** A domain at a carrier account, with what is needed to change it there. */
export interface Identity extends IdentityId {
  account: Account
  accountRevision: number
  wanted: DomainIdentity
}

/** An account of a carrier that requires the registration of domains. */
interface Account {
  carrier: SendingCarrier
  credentials: unknown
  region: string
}

/** The kinds of carriers that require the registration of domains. */
function kindsWithIdentities(carriers: SendingCarriers): string[] {
  return Object.keys(carriers).filter((kind) => carriers[kind]?.identities)
}

/** Plans the registrations that accounts lack, or that predate a change of their credentials. */
export async function planIdentities(
  run: Run,
  carriers: SendingCarriers,
  domainId: string | null = null,
): Promise<void> {
  const kinds = kindsWithIdentities(carriers)
  await run(
    `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, next_try_at)
     select d.id, p.id, d.tenant_id, d.domain, d.selector, now()
     from providers p join domains d on d.tenant_id = p.tenant_id
     where p.kind = any($2::text[]) and p.deleted_at is null and ($1::text is null or d.id = $1)
       and not exists (select 1 from domain_identities i where i.domain_id = d.id and i.provider_id = p.id)
     on conflict do nothing`,
    [domainId, kinds],
  )
  await run(
    `update domain_identities i set next_try_at = now(), failures = 0
     from providers p
     where p.kind = any($2::text[]) and p.deleted_at is null and i.provider_id = p.id and i.wanted and i.next_try_at is null
       and i.synced_revision <> p.revision and ($1::text is null or i.domain_id = $1)`,
    [domainId, kinds],
  )
}

type Accounts = Pick<Context, 'carrierTable' | 'secrets'>

/** Region of the tenant's first such account, for the MAIL FROM records. */
export async function findMailFromRegion(run: Run, accounts: Accounts, tenantId: string): Promise<string | null> {
  const [provider] = await run<Sealed>(
    `select id, kind, credentials from providers where tenant_id = $1 and channel = 'email' and deleted_at is null and kind = any($2::text[])
     order by priority, id limit 1`,
    [tenantId, kindsWithIdentities(accounts.carrierTable)],
  )
  return provider ? openAccount(accounts, tenantId, provider).region : null
}

interface Sealed {
  id: string
  kind: string
  credentials: Buffer
}

function openAccount(
  { carrierTable, secrets }: Accounts,
  tenantId: string,
  { id, kind, credentials }: Sealed,
): Account {
  const carrier = carrierOfKind(carrierTable, kind)
  if (!carrier?.identities) throw new Error(`providers of kind ${kind} do not support sending domains`)
  const text = openCredentials(secrets.keyRing, credentials, tenantId, id)
  const read = carrier.credentials.parse(JSON.parse(text))
  return { carrier, credentials: read, region: carrier.identities.regionOf(read as never) }
}

/** A due identity as stored. */
export interface DueIdentity extends IdentityRow {
  kind: string | null
  credentials: Buffer | null
  revision: number | null
  private_key: Buffer | null
  mail_from_region: string | null
  status: string | null
}

const dueIdentities = {
  table: 'domain_identities',
  key: ['domain_id', 'provider_id'],
  due: 'next_try_at',
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
}

/** Claims identities that are due for a change at their carrier, with a lease. */
export function claimIdentities(
  run: Run,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueIdentity[]> {
  return run<DueIdentity>(
    `${claimDueSql(dueIdentities, { limit: '$1', leaseMs: '$2' })}
     select i.*, p.kind, p.credentials, p.revision, d.private_key, d.mail_from_region, d.status
     from claimed i left join providers p on p.id = i.provider_id left join domains d on d.id = i.domain_id`,
    [limit, leaseMs],
  )
}

/** @throws Error when the account is gone or cannot be decrypted */
export function openIdentity(accounts: Accounts, due: DueIdentity): Identity {
  const { domain_id, provider_id, tenant_id, domain, selector, kind, credentials, revision, private_key } = due
  if (!kind || !credentials || revision === null) throw new Error('the account is no longer configured')
  const account = openAccount(accounts, tenant_id, { id: provider_id, kind, credentials })
  const wanted: DomainIdentity = { domain, selector, mailFrom: mailFromOf(domain) }
  if (due.wanted && private_key) {
    const privateKey = accounts.secrets.keyRing.decrypt(private_key, privateKeyAad(tenant_id, domain_id))
    wanted.key = { privateKey, mailFromRegion: due.mail_from_region, proven: due.status === 'verified' }
  }
  return { domain_id, provider_id, account, accountRevision: revision, wanted }
}

/** The carrier is up to date. A deletion requested meanwhile is next. */
export async function settleIdentity(
  run: Run,
  { domain_id, provider_id, account, accountRevision }: Identity,
): Promise<void> {
  await run(
    `update domain_identities
     set synced_revision = $3, synced_at = now(), failures = 0, error = null, leased_until = null,
       next_try_at = case when wanted then null else now() end
     where domain_id = $1 and provider_id = $2`,
    [domain_id, provider_id, accountRevision],
  )
  await run('update domains set mail_from_region = $2 where id = $1 and mail_from_region is null', [
    domain_id,
    account.region,
  ])
}

/** The carrier failed: retry after a delay that doubles, up to a few hours. */
export async function postponeIdentity(run: Run, { domain_id, provider_id }: IdentityId, error: string): Promise<void> {
  await run(
    `update domain_identities
     set failures = failures + 1, error = $3, leased_until = null,
       next_try_at = now() + least(power(2, failures) * 5, 14400) * interval '1 second'
     where domain_id = $1 and provider_id = $2`,
    [domain_id, provider_id, error],
  )
}

/** The carrier has removed it. */
export async function forgetIdentity(run: Run, { domain_id, provider_id }: IdentityId): Promise<void> {
  await run('delete from domain_identities where domain_id = $1 and provider_id = $2 and not wanted', [
    domain_id,
    provider_id,
  ])
}

/** Requests deletion from the carriers, after any change in progress. */
export async function unwantIdentities(run: Run, domainId: string): Promise<void> {
  await run(
    `update domain_identities
     set wanted = false, error = null, failures = 0, next_try_at = greatest(now(), leased_until)
     where domain_id = $1`,
    [domainId],
  )
}
