import { domainToASCII } from 'node:url'
import { type DomainCarrierStatus, type DomainChange, domainChanged, type Id } from '@notify/contracts'
import {
  cast,
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
import type { DomainAtCarrier } from '../../db/domain-tables.ts'
import { build, tables } from '../../db/schema.ts'
import type { DkimKey } from './make-dkim-key.ts'

const ownColumns = omit(tables.domains, 'private_key')
const ownNames = Object.keys(ownColumns).map((name) => `d.${name as keyof typeof ownColumns}` as const)

/** The columns of a domain without its private key, and what it is at the carriers. */
export const domainColumns = { ...ownColumns, carriers: column.json<DomainAtCarrier[]>() }

export type DomainRow = RowOf<typeof domainColumns>

const carriers = `(
  select coalesce(json_agg(json_build_object('provider_id', p.id, 'kind', p.kind, 'name', p.name, 'status', i.status,
    'error', i.error, 'checked_at', i.synced_at, 'records', i.records) order by p.priority, p.id), '[]')
  from domain_identities i join providers p on p.id = i.provider_id
  where i.domain_id = d.id and i.wanted and p.deleted_at is null)`

/** `domainColumns` of `domains as d`, for a query. */
export const domainSelection = [...ownNames, cast(domainColumns.carriers, sql.raw(carriers)).as('carriers')]

/** SQL: `domainColumns` of `domains d`. */
export const domainColumnsSql = `${ownNames.join(', ')}, ${carriers} as carriers`

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

export async function hasRoomForDomain(run: Run, tenantId: Id<'ten'>, most: number): Promise<boolean> {
  const domains = build.selectFrom('domains').select('id').where('tenant_id', '=', tenantId)
  return (await run(domains.limit(most))).length < most
}

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
  text: `
    select d.id, d.domain, d.selector,
      (select json_object_agg(i.provider_id, i.status) from domain_identities i where i.domain_id = d.id and i.wanted) as standings
    from domains d where d.tenant_id = $1 and d.domain = $2 and d.status = 'verified'`,
  columns: {
    ...pick(tables.domains, 'id', 'domain', 'selector'),
    standings: column.json<Record<string, DomainCarrierStatus> | null>(),
  },
})

type VerifiedRow = Pick<DomainRow, 'id' | 'domain' | 'selector'> & {
  /** What it is at the carriers, by provider. */
  standings: Record<string, DomainCarrierStatus> | null
}

/**
 * The verified domain of a sender's address; degraded ones do not count.
 * @param domain the part after the @, as written
 */
export async function findVerifiedDomain(run: Run, tenantId: string, domain: string): Promise<VerifiedRow | undefined> {
  const [row] = await run(findVerified, [tenantId, domainToASCII(domain)])
  return row
}
