import { domainToASCII } from 'node:url'
import { type DomainChange, domainChanged } from '@notify/contracts'
import { type EncryptedColumn, enqueueEvents, type Run, type Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema.ts'
import type { DkimKey } from './make-dkim-key.ts'

/** A domain without its private key, and the refusal of a carrier, if any. */
export type DomainRow = Omit<Selectable<Tables['domains']>, 'private_key'> & { carrier_error: string | null }

/** The columns read of `domains d`. */
export const domainColumns = `d.id, d.tenant_id, d.domain, d.selector, d.public_key, d.mail_from_region, d.status, d.revision,
  d.record_states, d.verified_at, d.last_checked_at, d.check_started_at, d.next_check_at, d.status_since, d.created_at,
  (select string_agg(i.error, ' ' order by i.provider_id) from domain_identities i
   where i.domain_id = d.id and i.wanted and i.error is not null) as carrier_error`

/** The AAD of a domain's private key. */
export const privateKeyAad = (tenantId: string, domainId: string) => `domains|${tenantId}|${domainId}`

export const privateKeyColumn: EncryptedColumn = {
  table: 'domains',
  column: 'private_key',
  key: 'id',
  placedBy: ['tenant_id', 'id'],
  place: privateKeyAad,
}

interface NewDomain extends Omit<DkimKey, 'privateKey'> {
  id: string
  tenantId: string
  domain: string
  privateKey: Buffer
  mailFromRegion: string | null
  firstCheckMs: number
}

/** Adds a domain, unless the tenant has it already or has reached its limit. */
export async function insertDomain(run: Run, added: NewDomain, mostDomains: number): Promise<DomainRow | undefined> {
  const [row] = await run<DomainRow>(
    `with inserted as (
       insert into domains (id, tenant_id, domain, selector, public_key, private_key, mail_from_region, next_check_at)
       select $1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond'
       where (select count(*) from domains where tenant_id = $2) < $9
       on conflict (tenant_id, domain) do nothing
       returning *
     ) select ${domainColumns} from inserted d`,
    [
      added.id,
      added.tenantId,
      added.domain,
      added.selector,
      added.publicKey,
      added.privateKey,
      added.mailFromRegion,
      added.firstCheckMs,
      mostDomains,
    ],
  )
  return row
}

export async function findDomain(run: Run, tenantId: string, id: string): Promise<DomainRow | undefined> {
  const [row] = await run<DomainRow>(`select ${domainColumns} from domains d where d.id = $1 and d.tenant_id = $2`, [
    id,
    tenantId,
  ])
  return row
}

export async function findDomainByName(
  run: Run,
  tenantId: string,
  domain: string,
): Promise<{ id: string } | undefined> {
  const [row] = await run<{ id: string }>('select id from domains where tenant_id = $1 and domain = $2', [
    tenantId,
    domain,
  ])
  return row
}

/** The domains of a tenant, newest first. @param after id of the last one of the previous page */
export function listDomainRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<DomainRow[]> {
  return run<DomainRow>(
    `select ${domainColumns} from domains d
     where d.tenant_id = $1 and ($2::text is null or d.id < $2) order by d.id desc limit $3`,
    [tenantId, after ?? null, limit],
  )
}

/** Deletes a domain with its keys. @returns the deleted row */
export async function removeDomain(
  run: Run,
  tenantId: string,
  id: string,
): Promise<Pick<DomainRow, 'id' | 'tenant_id' | 'domain' | 'revision'> | undefined> {
  const [row] = await run<Pick<DomainRow, 'id' | 'tenant_id' | 'domain' | 'revision'>>(
    'delete from domains where id = $1 and tenant_id = $2 returning id, tenant_id, domain, revision',
    [id, tenantId],
  )
  return row
}

/** Enqueues a domain's new state in the same transaction. */
export function enqueueDomainChange(
  run: Run,
  { id, tenant_id, domain, revision }: Pick<DomainRow, 'id' | 'tenant_id' | 'domain' | 'revision'>,
  status: DomainChange['status'],
): Promise<void> {
  const event: DomainChange = {
    domain_id: id as DomainChange['domain_id'],
    tenant_id: tenant_id as DomainChange['tenant_id'],
    domain,
    status,
    revision,
    occurred_at: new Date().toISOString(),
  }
  return enqueueEvents(run, domainChanged, [{ event }])
}

const findVerified: Statement = {
  name: 'find-verified-domain',
  text: `select id, domain, selector from domains where tenant_id = $1 and domain = $2 and status = 'verified'`,
}

/**
 * The verified domain of a sender's address; degraded ones do not count.
 * @param domain the part after the @, as written
 */
export async function findVerifiedDomain(
  run: Run,
  tenantId: string,
  domain: string,
): Promise<Pick<DomainRow, 'id' | 'domain' | 'selector'> | undefined> {
  const [row] = await run<Pick<DomainRow, 'id' | 'domain' | 'selector'>>(findVerified, [
    tenantId,
    domainToASCII(domain),
  ])
  return row
}
