import { SesCredentials } from '@notify/contracts'
import { claimDueSql, type Run } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'
import { openCredentials } from '../providers/provider-directory.ts'
import { privateKeyPlace } from './domain-store.ts'

type IdentityRow = Selectable<Tables['domain_identities']>

type IdentityId = Pick<IdentityRow, 'domain_id' | 'provider_id'>

/** A domain at an SES account, and what it takes to change it there. */
export interface Identity extends Pick<IdentityRow, 'domain_id' | 'provider_id' | 'domain' | 'selector'> {
  account: SesCredentials
  accountRevision: number
  /** Missing when the account shall not have the domain. */
  key?: { privateKey: string; mailFromRegion: string | null; proven: boolean }
}

/** Notes that domains are to be had by the SES accounts of their tenants, where that is not known or its key has changed. */
export async function planIdentities(run: Run, domainId: string | null = null): Promise<void> {
  await run(
    `insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, next_try_at)
     select d.id, p.id, d.tenant_id, d.domain, d.selector, now()
     from providers p join domains d on d.tenant_id = p.tenant_id
     where p.kind = 'ses' and ($1::text is null or d.id = $1)
       and not exists (select 1 from domain_identities i where i.domain_id = d.id and i.provider_id = p.id)
     on conflict do nothing`,
    [domainId],
  )
  await run(
    `update domain_identities i set next_try_at = now(), failures = 0
     from providers p
     where p.kind = 'ses' and i.provider_id = p.id and i.wanted and i.next_try_at is null
       and i.synced_revision <> p.revision and ($1::text is null or i.domain_id = $1)`,
    [domainId],
  )
}

/** Region of the tenant's first SES account, for the MAIL FROM records. */
export async function findSesRegion(run: Run, keyRing: KeyRing, tenantId: string): Promise<string | null> {
  const [provider] = await run<{ id: string; credentials: Buffer }>(
    `select id, credentials from providers where tenant_id = $1 and channel = 'email' and kind = 'ses'
     order by priority, id limit 1`,
    [tenantId],
  )
  return provider ? readAccount(keyRing, tenantId, provider.id, provider.credentials).region : null
}

function readAccount(keyRing: KeyRing, tenantId: string, id: string, sealed: Buffer): SesCredentials {
  return SesCredentials.parse(JSON.parse(openCredentials(keyRing, sealed, tenantId, id)))
}

/** An identity that is due, as it is stored. */
export interface DueIdentity extends IdentityRow {
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

/** Takes identities that are due to be changed at their carrier; a worker that ends meanwhile gives them back by its lease. */
export function claimIdentities(
  run: Run,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueIdentity[]> {
  return run<DueIdentity>(
    `${claimDueSql(dueIdentities, { limit: '$1', leaseMs: '$2' })}
     select i.*, p.credentials, p.revision, d.private_key, d.mail_from_region, d.status
     from claimed i left join providers p on p.id = i.provider_id left join domains d on d.id = i.domain_id`,
    [limit, leaseMs],
  )
}

/** @throws Error when the account is gone, or cannot be read */
export function openIdentity(keyRing: KeyRing, due: DueIdentity): Identity {
  const { domain_id, provider_id, tenant_id, domain, selector, credentials, revision, private_key } = due
  if (!credentials || revision === null) throw new Error('the account is not configured any more')
  const account = readAccount(keyRing, tenant_id, provider_id, credentials)
  const known = { domain_id, provider_id, domain, selector, account, accountRevision: revision }
  if (!due.wanted || !private_key) return known
  const privateKey = keyRing.decrypt(private_key, privateKeyPlace(tenant_id, domain_id))
  return { ...known, key: { privateKey, mailFromRegion: due.mail_from_region, proven: due.status === 'verified' } }
}

/** The carrier has it as it should be. A removal that came meanwhile is done next. */
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

/** The carrier did not do it: it is tried again after a wait that doubles, up to a few hours. */
export async function postponeIdentity(run: Run, { domain_id, provider_id }: IdentityId, error: string): Promise<void> {
  await run(
    `update domain_identities
     set failures = failures + 1, error = $3, leased_until = null,
       next_try_at = now() + least(power(2, failures) * 5, 14400) * interval '1 second'
     where domain_id = $1 and provider_id = $2`,
    [domain_id, provider_id, error],
  )
}

/** The carrier has it no more. */
export async function forgetIdentity(run: Run, { domain_id, provider_id }: IdentityId): Promise<void> {
  await run('delete from domain_identities where domain_id = $1 and provider_id = $2 and not wanted', [
    domain_id,
    provider_id,
  ])
}

/** The carriers shall have the domain no more; one that is being told of it is told afterwards. */
export async function unwantIdentities(run: Run, domainId: string): Promise<void> {
  await run(
    `update domain_identities
     set wanted = false, error = null, failures = 0, next_try_at = greatest(now(), leased_until)
     where domain_id = $1`,
    [domainId],
  )
}
