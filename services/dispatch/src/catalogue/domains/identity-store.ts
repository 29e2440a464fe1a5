import type { DomainIdentity, Registration, SendingCarrier, SendingCarriers } from '@notify/carriers/sending'
import type { DomainCarrierStatus, Id } from '@notify/contracts'
import { anyOf, claimDueSql, defineStatement, outerJoined, pick, type RowOf, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { build, type Tables, tables } from '../../db/schema.ts'
import { carrierOfKind, openCredentials } from '../providers/provider-directory.ts'
import { mailFromOf } from './domain-records.ts'
import { privateKeyAad } from './domain-store.ts'

export type IdentityId = Pick<Selectable<Tables['domain_identities']>, 'domain_id' | 'provider_id'>

/** A domain at a carrier account, with the account and the state that it must have there. */
export interface Identity extends IdentityId {
  account: Account
  accountRevision: number
  wanted: DomainIdentity
}

/** An account of a carrier that requires the registration of domains. */
interface Account {
  carrier: SendingCarrier
  credentials: unknown
  /** Of carriers that sign with our key. */
  region: string | undefined
}

/** The kinds of carriers that require the registration of domains. */
const kindsWithIdentities = (carriers: SendingCarriers): string[] =>
  Object.keys(carriers).filter((kind) => carriers[kind]?.identities)

/** Those that sign with our key. */
const kindsWithRegion = (carriers: SendingCarriers): string[] =>
  Object.keys(carriers).filter((kind) => carriers[kind]?.identities?.regionOf)

/** A tenant may have thousands of domains in hundreds of accounts. */
const plannedAtOnce = 5000
/** Two texts each: with an optional parameter, the general plan of the statement would read the domains of all tenants. */
const addMissing = (ofOne: '' | 'and d.id = $2') =>
  defineStatement({
    name: `add-missing-identities${ofOne && '-of-one'}`,
    isPrepared: false,
    text: `
      insert into domain_identities (domain_id, provider_id, tenant_id, domain, selector, status, is_ours, created_at, next_try_at)
      select d.id, p.id, d.tenant_id, d.domain, d.selector, 'pending', false, now(), now()
      from providers p join domains d on d.tenant_id = p.tenant_id
      where p.kind = any($1::text[]) and p.deleted_at is null ${ofOne}
        and not exists (select 1 from domain_identities i where i.domain_id = d.id and i.provider_id = p.id)
      limit ${plannedAtOnce}
      on conflict do nothing`,
  })

const renewOutdated = (ofOne: '' | 'and i.domain_id = $2') =>
  defineStatement({
    name: `renew-outdated-identities${ofOne && '-of-one'}`,
    isPrepared: false,
    text: `
      update domain_identities i set next_try_at = now(), failures = 0
      from providers p
      where p.kind = any($1::text[]) and p.deleted_at is null and i.provider_id = p.id and i.wanted and i.leased_until is null
        and (i.next_try_at is null or i.failures = 0 and i.next_try_at > now()) and i.synced_revision <> p.revision ${ofOne}`,
  })

const ofAll = [addMissing(''), renewOutdated('')]
const ofOne = [addMissing('and d.id = $2'), renewOutdated('and i.domain_id = $2')]

/** Plans missing registrations, and those that are older than a change of the account's credentials. */
export async function planIdentities(run: Run, carriers: SendingCarriers, domainId?: Id<'dom'>): Promise<void> {
  const kinds = kindsWithIdentities(carriers)
  if (domainId) for (const statement of ofOne) await run(statement, [kinds, domainId])
  else for (const statement of ofAll) await run(statement, [kinds])
}

type Accounts = Pick<Context, 'carrierTable' | 'secrets'>

/** Region of the tenant's first such account, for the MAIL FROM records. */
export async function findMailFromRegion(run: Run, accounts: Accounts, tenantId: Id<'ten'>): Promise<string | null> {
  const [provider] = await run(
    build
      .selectFrom('providers')
      .select(['id', 'kind', 'credentials'])
      .where('tenant_id', '=', tenantId)
      .where('channel', '=', 'email')
      .where('deleted_at', 'is', null)
      .where('kind', '=', anyOf(kindsWithRegion(accounts.carrierTable)))
      .orderBy('priority')
      .orderBy('id')
      .limit(1),
  )
  return (provider && openAccount(accounts, tenantId, provider).region) ?? null
}

type Sealed = Pick<Selectable<Tables['providers']>, 'id' | 'kind' | 'credentials'>

function openAccount(
  { carrierTable, secrets }: Accounts,
  tenantId: string,
  { id, kind, credentials }: Sealed,
): Account {
  const carrier = carrierOfKind(carrierTable, kind)
  if (!carrier?.identities) throw new Error(`providers of kind ${kind} do not support sending domains`)
  const text = openCredentials(secrets.keyRing, credentials, tenantId, id)
  const read = carrier.credentials.parse(JSON.parse(text))
  return { carrier, credentials: read, region: carrier.identities.regionOf?.(read as never) }
}

const dueIdentities = {
  table: 'domain_identities',
  key: ['domain_id', 'provider_id'],
  due: 'next_try_at',
  fair: { by: 'tenant_id', most: 3 },
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
}

const dueColumns = {
  ...tables.domain_identities,
  ...outerJoined(pick(tables.providers, 'kind', 'credentials', 'revision')),
  ...outerJoined(pick(tables.domains, 'private_key', 'mail_from_region', 'status')),
}

/** A due identity as stored. */
export type DueIdentity = RowOf<typeof dueColumns>

const claim = defineStatement({
  name: 'claim-due-identities',
  text: `${claimDueSql(dueIdentities, { limit: '$1', leaseMs: '$2' })}
         select i.*, p.kind, p.credentials, p.revision, d.private_key, d.mail_from_region, d.status
         from claimed i left join providers p on p.id = i.provider_id left join domains d on d.id = i.domain_id`,
  columns: dueColumns,
})

/** Claims identities that are due for a change at their carrier, with a lease. */
export function claimIdentities(
  run: Run,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueIdentity[]> {
  return run(claim, [limit, leaseMs])
}

/** @throws Error when the account is gone or cannot be decrypted */
export function openIdentity(accounts: Accounts, due: DueIdentity): Identity {
  const { domain_id, provider_id, tenant_id, domain, selector, kind, credentials, revision, private_key } = due
  if (!kind || !credentials || revision === null) throw new Error('the account is no longer configured')
  const account = openAccount(accounts, tenant_id, { id: provider_id, kind, credentials })
  const { reference, is_ours: isOurs } = due
  const known = reference === null && !isOurs ? null : { reference, isOurs }
  const wanted: DomainIdentity = { domain, selector, mailFrom: mailFromOf(domain), known }
  if (due.wanted && private_key) {
    const privateKey = accounts.secrets.keyRing.decrypt(private_key, privateKeyAad(tenant_id, domain_id))
    wanted.key = { privateKey, mailFromRegion: due.mail_from_region, proven: due.status === 'verified' }
  }
  return { domain_id, provider_id, account, accountRevision: revision, wanted }
}

/** An update of one identity. */
export const changeIdentity = ({ domain_id, provider_id }: IdentityId) =>
  build.updateTable('domain_identities').where('domain_id', '=', domain_id).where('provider_id', '=', provider_id)

interface Waits {
  /** Milliseconds. */
  first: number
  longest: number
}

/** In seconds. Records are published within hours; carriers that are asked rarely would make their owner wait. */
const longestPending = 3600

/** The carrier is up to date. It is asked again, also when it has verified the domain: a deletion requested meanwhile is next. */
export async function settleIdentity(
  run: Run,
  identity: Identity,
  { verified, records, reference, isOurs }: Registration,
  { first, longest }: Waits,
): Promise<void> {
  const { domain_id, account, accountRevision } = identity
  const waitS = sql`least(greatest(extract(epoch from now() - coalesce(created_at, now())) / 4, ${first / 1000}), ${longest / 1000}, ${longestPending})`
  const againS = verified ? sql`${longest / 1000}` : waitS
  const next_try_at = sql<Date>`case when wanted then now() + ${againS} * interval '1 second' else now() end`
  const told = { status: verified ? 'verified' : 'pending', records: JSON.stringify(records), reference } as const
  const settled = { synced_revision: accountRevision, synced_at: sql<Date>`now()`, failures: 0, error: null }
  // Another one may have left it to this one since it was claimed.
  const is_ours = sql<boolean>`is_ours or ${isOurs}`
  await run(changeIdentity(identity).set({ ...told, is_ours, ...settled, leased_until: null, next_try_at }))
  if (account.region === undefined) return
  await run(
    build
      .updateTable('domains')
      .set({ mail_from_region: account.region })
      .where('id', '=', domain_id)
      .where('mail_from_region', 'is', null),
  )
}

/** The carrier failed: retry after a delay that doubles, up to a few hours. @param status if it says anything of that */
export async function postponeIdentity(
  run: Run,
  identity: IdentityId,
  error: string,
  status?: DomainCarrierStatus,
): Promise<void> {
  const failures = sql<number>`least(failures + 1, 12)`
  const next_try_at = sql<Date>`now() + least(power(2, least(failures, 12)) * 5, 14400) * interval '1 second'`
  await run(
    changeIdentity(identity).set({ failures, error, leased_until: null, next_try_at, ...(status && { status }) }),
  )
}

/** The carrier has removed it. */
export async function forgetIdentity(run: Run, { domain_id, provider_id }: IdentityId): Promise<void> {
  await run(
    build
      .deleteFrom('domain_identities')
      .where('domain_id', '=', domain_id)
      .where('provider_id', '=', provider_id)
      .where('wanted', '=', false),
  )
}

/** Requests deletion from the carriers, after any change in progress. */
export async function requestIdentityRemoval(run: Run, domainId: Id<'dom'>): Promise<void> {
  const next_try_at = sql<Date>`greatest(now(), leased_until)`
  const unwanted = { wanted: false, error: null, failures: 0, next_try_at }
  await run(build.updateTable('domain_identities').set(unwanted).where('domain_id', '=', domainId))
}

/** Asks the carriers again that have not verified the domain. */
export async function checkIdentitiesSoon(run: Run, domainId: Id<'dom'>): Promise<void> {
  await run(
    build
      .updateTable('domain_identities')
      .set({ next_try_at: sql<Date>`now()` })
      .where('domain_id', '=', domainId)
      .where('wanted', '=', true)
      .where('status', '<>', 'verified')
      .where('leased_until', 'is', null),
  )
}

/** Asks the carrier of a deleted provider nothing more; what must be removed there still is. */
export async function stopIdentities(run: Run, tenantId: Id<'ten'>, providerId: Id<'prov'>): Promise<void> {
  const ofTenant = build.selectFrom('domains').select('id').where('tenant_id', '=', tenantId)
  await run(
    build
      .updateTable('domain_identities')
      .set({ next_try_at: null, error: null })
      .where('domain_id', 'in', ofTenant)
      .where('provider_id', '=', providerId)
      .where('wanted', '=', true),
  )
}
