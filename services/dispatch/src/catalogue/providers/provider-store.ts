import type { Channel, Id } from '@notify/contracts'
import { nextUpdatedAt, prepared, type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type ProviderRow = Selectable<Tables['providers']>

/** A provider of the tenant that is not deleted. */
export async function findProvider(run: Run, tenantId: string, id: string): Promise<ProviderRow | undefined> {
  const [row] = await run<ProviderRow>(
    'select * from providers where id = $1 and tenant_id = $2 and deleted_at is null',
    [id, tenantId],
  )
  return row
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
export async function lockProvider(run: Run, tenantId: string, id: string): Promise<ProviderRow | undefined> {
  const [row] = await run<ProviderRow>(
    'select * from providers where id = $1 and tenant_id = $2 and deleted_at is null for update',
    [id, tenantId],
  )
  return row
}

/** Locks the row with this id, whosever it is and deleted or not. */
export async function lockAnyProvider(run: Run, id: string): Promise<ProviderRow | undefined> {
  const [row] = await run<ProviderRow>('select * from providers where id = $1 for update', [id])
  return row
}

/** Locks an id, and the row that it may have: two transactions never both create it. */
export async function lockProviderId(run: Run, id: string): Promise<ProviderRow | undefined> {
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`provider ${id}`])
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
    tenantId: string
    channel: Channel | undefined
    after: string | undefined
    limit: number
  },
): Promise<ProviderRow[]> {
  return run<ProviderRow>(
    `select * from providers
     where tenant_id = $1 and deleted_at is null and ($2::text is null or channel = $2) and ($3::text is null or id < $3)
     order by id desc limit $4`,
    [tenantId, channel ?? null, after ?? null, limit],
  )
}

/** @throws Problem `provider_limit_reached` */
export function requireRoomForProvider(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build
    .selectFrom('providers')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
  const [code, what] = ['provider_limit_reached', 'providers of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

/** The priority after those of all other providers of the channel. */
export async function lowestPriority(run: Run, tenantId: string, channel: Channel): Promise<number> {
  const [row] = await run<{ next: number }>(
    `select coalesce(max(priority), 0) + 1 as next from providers
     where tenant_id = $1 and channel = $2 and deleted_at is null`,
    [tenantId, channel],
  )
  return row!.next
}

/** Whether another tenant has connected an account; locks the question for the rest of the transaction. */
export async function isTakenAccount(
  run: Run,
  { kind, accountId, tenantId }: { kind: string; accountId: string; tenantId: string },
): Promise<boolean> {
  // Two claims of one moment must see each other.
  await run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`provider account ${kind} ${accountId}`])
  const taken = await run('select 1 from providers where kind = $1 and account_id = $2 and tenant_id <> $3 limit 1', [
    kind,
    accountId,
    tenantId,
  ])
  return taken.length > 0
}

export type ProviderValues = Omit<
  ProviderRow,
  'created_at' | 'updated_at' | 'deleted_at' | 'purged_at' | 'credentials_updated_at'
> & { credentialsChanged: boolean; isDeleted: boolean }

/** Inserts a provider, or replaces the row that the caller has locked. */
export async function upsertProvider(run: Run, values: ProviderValues): Promise<ProviderRow> {
  const [row] = await run<ProviderRow>(
    `insert into providers as known (id, tenant_id, application_id, channel, kind, name, priority, rate_limit_per_second,
       revision, credentials, account_id, updated_by, deleted_at, subscription_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, case when $14 then now() end, $15)
     on conflict (id) do update set tenant_id = $2, application_id = $3, channel = $4, kind = $5, name = $6, priority = $7,
       rate_limit_per_second = $8, revision = $9, credentials = $10, account_id = $11, updated_by = $12,
       credentials_updated_at = case when $13 then now() else known.credentials_updated_at end,
       deleted_at = case when $14 then now() end, subscription_id = $15,
       updated_at = ${nextUpdatedAt('known.updated_at')}
     returning *`,
    [
      ...[values.id, values.tenant_id, values.application_id, values.channel, values.kind, values.name],
      ...[values.priority, values.rate_limit_per_second, values.revision, values.credentials, values.account_id],
      ...[values.updated_by, values.credentialsChanged, values.isDeleted, values.subscription_id],
    ],
  )
  return row!
}

/** A deleted provider whose credentials nothing needs any more. */
export type PurgedRow = Pick<ProviderRow, 'id' | 'tenant_id' | 'channel' | 'kind' | 'revision'>

/** Takes providers deleted before the retention began; workers take different ones. */
export function claimPurges(run: Run, deletedForMs: number, limit: number): Promise<PurgedRow[]> {
  return run<PurgedRow>(
    `select id, tenant_id, channel, kind, revision from providers
     where deleted_at < now() - $1 * interval '1 millisecond' and purged_at is null
     order by id limit $2 for update skip locked`,
    [deletedForMs, limit],
  )
}

/** Replaces the credentials of a purged provider, and gives its account free. */
export async function purgeProvider(run: Run, id: string, emptied: Buffer): Promise<void> {
  await run(
    `update providers set credentials = $2, account_id = null, purged_at = now(), revision = revision + 1 where id = $1`,
    [id, emptied],
  )
}
