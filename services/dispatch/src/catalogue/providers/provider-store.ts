import type { Channel, Id } from '@notify/contracts'
import { cast, column, lockName, nextUpdatedAt, prepared, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type ProviderRow = Selectable<Tables['providers']>

const byId = (id: Id<'prov'>) => build.selectFrom('providers').selectAll().where('id', '=', id)

const one = (tenantId: Id<'ten'>, id: Id<'prov'>) =>
  byId(id).where('tenant_id', '=', tenantId).where('deleted_at', 'is', null)

/** A provider of the tenant that is not deleted. */
export async function findProvider(run: Run, tenantId: Id<'ten'>, id: Id<'prov'>): Promise<ProviderRow | undefined> {
  return (await run(one(tenantId, id)))[0]
}

/** The providers that receive callbacks for an id or an account, deleted ones too until they are purged. */
export const findReceiving = prepared('find-receiving-providers', ({ kind, id }: { kind: string; id: string }) =>
  build
    .selectFrom('providers')
    .selectAll()
    .where((is) => is.or([is('id', '=', id as Id<'prov'>), is('account_id', '=', id)]))
    .where('kind', '=', kind)
    .where('purged_at', 'is', null),
)

/** Locks a provider for the rest of the transaction. */
export async function lockProvider(run: Run, tenantId: Id<'ten'>, id: Id<'prov'>): Promise<ProviderRow | undefined> {
  return (await run(one(tenantId, id).forUpdate()))[0]
}

/** Locks the row with this id, of any tenant, deleted or not. */
export async function lockAnyProvider(run: Run, id: Id<'prov'>): Promise<ProviderRow | undefined> {
  return (await run(byId(id).forUpdate()))[0]
}

/** Locks an id and its row, if any, so that two transactions never both create it. */
export async function lockProviderId(run: Run, id: Id<'prov'>): Promise<ProviderRow | undefined> {
  await lockName(run, `provider ${id}`)
  return lockAnyProvider(run, id)
}

/** The providers of a tenant, newest first. @param after id of the last one of the previous page */
export function listProviderRows(
  run: Run,
  {
    tenantId,
    channel,
    after,
    limit,
  }: {
    tenantId: Id<'ten'>
    channel: Channel | undefined
    after: Id<'prov'> | undefined
    limit: number
  },
): Promise<ProviderRow[]> {
  const providers = build
    .selectFrom('providers')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .$if(channel !== undefined, (query) => query.where('channel', '=', channel!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(providers.orderBy('id', 'desc').limit(limit))
}

/** Those that sign for one webhook subscription do not count. @throws Problem `provider_limit_reached` */
export function requireRoomForProvider(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build
    .selectFrom('providers')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('subscription_id', 'is', null)
    .where('deleted_at', 'is', null)
  const [code, what] = ['provider_limit_reached', 'providers of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

/** The priority after those of all other providers of the channel. */
export async function lowestPriority(run: Run, tenantId: Id<'ten'>, channel: Channel): Promise<number> {
  const [row] = await run(
    build
      .selectFrom('providers')
      .select(cast(column.integer(), sql`coalesce(max(priority), 0) + 1`).as('next'))
      .where('tenant_id', '=', tenantId)
      .where('channel', '=', channel)
      .where('deleted_at', 'is', null),
  )
  return row!.next
}

/** Whether another tenant has connected an account. Locks the account for the rest of the transaction. */
export async function isTakenAccount(
  run: Run,
  { kind, accountId, tenantId }: { kind: string; accountId: string; tenantId: Id<'ten'> },
): Promise<boolean> {
  // Concurrent claims must see each other.
  await lockName(run, `provider account ${kind} ${accountId}`)
  const taken = await run(
    build
      .selectFrom('providers')
      .select('id')
      .where('kind', '=', kind)
      .where('account_id', '=', accountId)
      .where('tenant_id', '<>', tenantId)
      .limit(1),
  )
  return taken.length > 0
}

export type ProviderValues = Omit<
  ProviderRow,
  'created_at' | 'updated_at' | 'deleted_at' | 'purged_at' | 'credentials_updated_at' | 'keeps_domains'
> & { credentialsChanged: boolean; isDeleted: boolean }

/** Inserts a provider, or replaces the row that the caller has locked. */
export async function upsertProvider(run: Run, values: ProviderValues): Promise<ProviderRow> {
  // Callers may pass whole rows, whose times must not be written back.
  const { id, tenant_id, application_id, channel, kind, name, priority, rate_limit_per_second, revision } = values
  const { weight, credentials, credentialsChanged, account_id, updated_by, isDeleted, subscription_id } = values
  const now = sql<Date>`now()`
  const state = {
    ...{ tenant_id, application_id, channel, kind, name, priority, rate_limit_per_second, revision },
    ...{ weight, credentials, account_id, updated_by, subscription_id, deleted_at: isDeleted ? now : null },
  }
  const [row] = await run(
    build
      .insertInto('providers')
      .values({ id, ...state })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({
          ...state,
          ...(credentialsChanged ? { credentials_updated_at: now } : {}),
          updated_at: sql.raw<Date>(nextUpdatedAt('providers.updated_at')),
        }),
      )
      .returningAll(),
  )
  return row!
}

/** Makes due at the account's carrier what failed for sending domains: with other credentials it may succeed. */
export async function repeatRegistrations(
  run: Run,
  { id, tenant_id }: Pick<ProviderRow, 'id' | 'tenant_id'>,
): Promise<void> {
  await run(
    build
      .updateTable('domain_identities')
      .set({ failures: 0, next_try_at: sql<Date>`greatest(now(), leased_until)` })
      .where('tenant_id', '=', tenant_id)
      .where('next_try_at', '>', sql<Date>`now()`)
      .where('provider_id', '=', id)
      .where('failures', '>', 0),
  )
}

/** A deleted provider whose credentials are no longer needed. */
export type PurgedRow = Pick<ProviderRow, 'id' | 'tenant_id' | 'channel' | 'kind' | 'revision'>

/** Claims providers that were deleted before the retention began. Concurrent workers claim different ones. */
export function claimPurges(run: Run, deletedForMs: number, limit: number): Promise<PurgedRow[]> {
  const deleted = build
    .selectFrom('providers')
    .select(['id', 'tenant_id', 'channel', 'kind', 'revision'])
    .where('deleted_at', '<', sql<Date>`now() - ${deletedForMs} * interval '1 millisecond'`)
    .where('purged_at', 'is', null)
  return run(deleted.orderBy('deleted_at').limit(limit).forUpdate().skipLocked())
}

/** Empties the credentials of a purged provider, and releases its account. */
export async function purgeProvider(run: Run, id: Id<'prov'>, emptied: Buffer): Promise<void> {
  const set = { credentials: emptied, account_id: null, purged_at: sql<Date>`now()` }
  await run(
    build
      .updateTable('providers')
      .set(({ eb }) => ({ ...set, revision: eb('revision', '+', 1) }))
      .where('id', '=', id),
  )
}
