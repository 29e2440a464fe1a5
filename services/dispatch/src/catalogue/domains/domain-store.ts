import { domainToASCII } from 'node:url'
import { type DomainChange, domainChanged, type Id } from '@notify/contracts'
import {
  column,
  defineStatement,
  type EncryptedColumn,
  enqueueEvents,
  omit,
  pick,
  type RowOf,
  type Run,
} from '@notify/database'
import { sql } from 'kysely'
import { build, tables } from '../../db/schema.ts'
import type { DkimKey } from './make-dkim-key.ts'

const ownColumns = omit(tables.domains, 'private_key')
const ownNames = Object.keys(ownColumns).map((name) => `d.${name as keyof typeof ownColumns}` as const)

/** The columns of a domain without its private key, and the refusal of a carrier, if any. */
export const domainColumns = { ...ownColumns, carrier_error: column.text().nullable() }

export type DomainRow = RowOf<typeof domainColumns>

const carrierError = `(select string_agg(i.error, ' ' order by i.provider_id) from domain_identities i
  where i.domain_id = d.id and i.wanted and i.error is not null)`

/** `domainColumns` of `domains as d`, for a query. */
export const domainSelection = [...ownNames, sql.raw<string | null>(carrierError).as('carrier_error')]

/** SQL: `domainColumns` of `domains d`. */
export const domainColumnsSql = `${ownNames.join(', ')}, ${carrierError} as carrier_error`

/** The domains of a tenant. */
export const domainsOf = (tenantId: Id<'ten'>) =>
  build.selectFrom('domains as d').select(domainSelection).where('d.tenant_id', '=', tenantId)

/** The AAD of a domain's private key. */
export const privateKeyAad = (tenantId: string, domainId: string) => `domains|${tenantId}|${domainId}`

export const privateKeyColumn: EncryptedColumn = {
  table: 'domains',
  column: 'private_key',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad: privateKeyAad,
}

interface NewDomain extends Omit<DkimKey, 'privateKey'> {
  id: Id<'dom'>
  tenantId: Id<'ten'>
  domain: string
  privateKey: Buffer
  mailFromRegion: string | null
  firstCheckMs: number
}

const insert = defineStatement({
  name: 'insert-domain',
  isPrepared: false,
  text: `
    insert into domains as d (id, tenant_id, domain, selector, public_key, private_key, mail_from_region, next_check_at)
    select $1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond'
    where (select count(*) from domains where tenant_id = $2) < $9
    on conflict (tenant_id, domain) do nothing
    returning ${domainColumnsSql}`,
  columns: domainColumns,
})

/** Adds a domain, unless the tenant has it already or has reached its limit. */
export async function insertDomain(run: Run, added: NewDomain, mostDomains: number): Promise<DomainRow | undefined> {
  const { id, tenantId, domain, selector, publicKey, privateKey, mailFromRegion, firstCheckMs } = added
  const key = [selector, publicKey, privateKey]
  const [row] = await run(insert, [id, tenantId, domain, ...key, mailFromRegion, firstCheckMs, mostDomains])
  return row
}

export async function findDomain(run: Run, tenantId: Id<'ten'>, id: Id<'dom'>): Promise<DomainRow | undefined> {
  return (await run(domainsOf(tenantId).where('d.id', '=', id)))[0]
}

export async function findDomainByName(
  run: Run,
  tenantId: Id<'ten'>,
  domain: string,
): Promise<Pick<DomainRow, 'id'> | undefined> {
  const [row] = await run(
    build.selectFrom('domains').select('id').where('tenant_id', '=', tenantId).where('domain', '=', domain),
  )
  return row
}

/** The domains of a tenant, newest first. @param after id of the last one of the previous page */
export function listDomainRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: Id<'dom'> | undefined; limit: number },
): Promise<DomainRow[]> {
  const domains = domainsOf(tenantId).$if(after !== undefined, (query) => query.where('d.id', '<', after!))
  return run(domains.orderBy('d.id', 'desc').limit(limit))
}

type ChangedDomain = Pick<DomainRow, 'id' | 'tenant_id' | 'domain' | 'revision'>

/** Deletes a domain with its keys. @returns the deleted row */
export async function removeDomain(run: Run, tenantId: Id<'ten'>, id: Id<'dom'>): Promise<ChangedDomain | undefined> {
  const [row] = await run(
    build
      .deleteFrom('domains')
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .returning(['id', 'tenant_id', 'domain', 'revision']),
  )
  return row
}

/** Enqueues a domain's new state in the same transaction. */
export function enqueueDomainChange(
  run: Run,
  { id: domain_id, tenant_id, domain, revision }: ChangedDomain,
  status: DomainChange['status'],
): Promise<void> {
  const occurred_at = new Date().toISOString()
  const event: DomainChange = { domain_id, tenant_id, domain, status, revision, occurred_at }
  return enqueueEvents(run, domainChanged, [{ event }])
}

const findVerified = defineStatement({
  name: 'find-verified-domain',
  text: `select id, domain, selector from domains where tenant_id = $1 and domain = $2 and status = 'verified'`,
  columns: pick(tables.domains, 'id', 'domain', 'selector'),
})

/**
 * The verified domain of a sender's address; degraded ones do not count.
 * @param domain the part after the @, as written
 */
export async function findVerifiedDomain(
  run: Run,
  tenantId: string,
  domain: string,
): Promise<Pick<DomainRow, 'id' | 'domain' | 'selector'> | undefined> {
  const [row] = await run(findVerified, [tenantId, domainToASCII(domain)])
  return row
}
