import type { DomainIdentity, Registration, SendingCarrier, SendingCarriers } from '@notify/carriers/sending'
import type { DomainCarrierStatus, Id } from '@notify/contracts'
import { claimDueSql, column, defineStatement, outerJoined, pick, type RowOf, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { build, type Tables, tables } from '../../db/schema.ts'
import { carrierOfKind, openCredentials } from '../providers/provider-directory.ts'
import { mailFromOf } from './domain-records.ts'
import { privateKeyAad } from './domain-store.ts'

type IdentityId = Pick<Selectable<Tables['domain_identities']>, 'domain_id' | 'provider_id'>

/** An identity of a claim. */
export interface LeasedIdentity extends IdentityId {
  /** The end of the lease as Postgres' own text, exact to the microsecond, which identifies the claim. */
  lease: string
}

/** A domain at a carrier account, with the account and the state that it must have there. */
export interface Identity extends LeasedIdentity {
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

/** The kinds of carriers that sign with our key. */
export const kindsWithRegion = (carriers: SendingCarriers): string[] =>
  Object.keys(carriers).filter((kind) => carriers[kind]?.identities?.regionOf)

export type Accounts = Pick<Context, 'carrierTable' | 'secrets'>

type Sealed = Pick<Selectable<Tables['providers']>, 'id' | 'kind' | 'credentials'>

export function openAccount(
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
  fair: { by: 'tenant_id', most: 3, inHand: '$3::text[]' },
  set: `leased_until = now() + $2 * interval '1 millisecond'`,
}

const dueColumns = {
  ...tables.domain_identities,
  ...outerJoined(pick(tables.providers, 'kind', 'credentials', 'revision', 'deleted_at', 'purged_at', 'keeps_domains')),
  ...outerJoined(pick(tables.domains, 'private_key', 'mail_from_region', 'status')),
  lease: column.text(),
}

/** A due identity as stored. */
export type DueIdentity = RowOf<typeof dueColumns>

const claim = defineStatement({
  name: 'claim-due-identities',
  text: `${claimDueSql(dueIdentities, { limit: '$1', leaseMs: '$2' })}
         select i.*, p.kind, p.credentials, p.revision, p.deleted_at, p.purged_at, p.keeps_domains,
           d.private_key, d.mail_from_region, d.status, i.leased_until::text as lease
         from claimed i left join providers p on p.id = i.provider_id left join domains d on d.id = i.domain_id`,
  columns: dueColumns,
})

/** Claims identities that are due for a change at their carrier, with a lease; `most` with those in hand. */
export async function claimIdentities(
  run: Run,
  { most, leaseMs, inHand = [] }: { most: number; leaseMs: number; inHand?: readonly Pick<DueIdentity, 'tenant_id'>[] },
): Promise<DueIdentity[]> {
  if (inHand.length >= most) return []
  return run(claim, [most - inHand.length, leaseMs, inHand.map(({ tenant_id }) => tenant_id)])
}

/** @throws Error when the account is gone or cannot be decrypted */
export function openIdentity(accounts: Accounts, due: DueIdentity): Identity {
  const { domain_id, provider_id, lease, tenant_id, domain, selector, kind, credentials, revision, private_key } = due
  if (!kind || !credentials || revision === null) throw new Error('the account is no longer configured')
  const account = openAccount(accounts, tenant_id, { id: provider_id, kind, credentials })
  const { reference, is_ours: isOurs } = due
  const known = reference === null && !isOurs ? null : { reference, isOurs }
  const wanted: DomainIdentity = { domain, selector, mailFrom: mailFromOf(domain), known }
  if (due.wanted && private_key) {
    const privateKey = accounts.secrets.keyRing.decrypt(private_key, privateKeyAad(tenant_id, domain_id))
    wanted.key = { privateKey, mailFromRegion: due.mail_from_region, proven: due.status === 'verified' }
  }
  return { domain_id, provider_id, lease, account, accountRevision: revision, wanted }
}

/** An update of one identity; after the end of the lease, another worker may have changed it, and nothing is updated. */
export const changeIdentity = ({ domain_id, provider_id, lease }: LeasedIdentity) =>
  build
    .updateTable('domain_identities')
    .where('domain_id', '=', domain_id)
    .where('provider_id', '=', provider_id)
    .where('leased_until', '=', sql<Date>`${lease}::timestamptz`)

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
  const { accountRevision, wanted } = identity
  const waitS = sql`least(greatest(extract(epoch from now() - coalesce(created_at, now())) / 4, ${first / 1000}), ${longest / 1000}, ${longestPending})`
  const againS = verified ? sql`${longest / 1000}` : waitS
  const next_try_at = sql<Date>`case when wanted then now() + ${againS} * interval '1 second' else now() end`
  const told = { status: verified ? 'verified' : 'pending', records: JSON.stringify(records), reference } as const
  const settled = { synced_revision: accountRevision, synced_at: sql<Date>`now()`, failures: 0, error: null }
  // Another one may have left it to this one since it was claimed, with the same reference.
  const wasOurs = wanted.known?.isOurs ?? false
  const is_ours = sql<boolean>`${isOurs} or not ${wasOurs} and is_ours and reference is not distinct from ${reference}`
  await run(changeIdentity(identity).set({ ...told, is_ours, ...settled, leased_until: null, next_try_at }))
}

/** The carrier failed: retry after a delay that doubles, up to a few hours. @param status if it says anything of that */
export async function postponeIdentity(
  run: Run,
  identity: LeasedIdentity,
  error: string,
  status?: DomainCarrierStatus,
): Promise<void> {
  const failures = sql<number>`least(failures + 1, 12)`
  const next_try_at = sql<Date>`now() + least(power(2, least(failures, 12)) * 5, 14400) * interval '1 second'`
  await run(
    changeIdentity(identity).set({ failures, error, leased_until: null, next_try_at, ...(status && { status }) }),
  )
}

/** Another cell keeps it at the carrier. It is looked at again, because its tenant may come back. */
export async function deferIdentity(run: Run, identity: LeasedIdentity): Promise<void> {
  const next_try_at = sql<Date>`now() + interval '1 hour'`
  await run(changeIdentity(identity).set({ leased_until: null, next_try_at }))
}

/** The carrier has removed it, or can no longer be asked. Without its domain, nobody wants it. */
export async function forgetIdentity(run: Run, { domain_id, provider_id }: IdentityId): Promise<void> {
  await run(
    build
      .deleteFrom('domain_identities as i')
      .where('i.domain_id', '=', domain_id)
      .where('i.provider_id', '=', provider_id)
      .where(({ or, eb, not, exists, selectFrom }) =>
        or([
          eb('i.wanted', '=', false),
          not(exists(selectFrom('domains as d').select('d.id').whereRef('d.id', '=', 'i.domain_id'))),
        ]),
      ),
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

/** The same for one that became due again, such as by a check of its domain. */
export async function stopIdentity(run: Run, identity: LeasedIdentity): Promise<void> {
  await run(changeIdentity(identity).set({ next_try_at: null, leased_until: null }).where('wanted', '=', true))
}
