import type { Run } from '@notify/database'

/** How long requests bear the signature of a secret that was rotated out. */
const previousHours = 24

export interface NewProvider {
  id: string
  tenant_id: string
  application_id: string | null
  priority: number
  revision: number
  secret: Buffer
  /** The secrets that dispatch rotated out, the latest first, and until when they sign; none when dispatch does not say. */
  former: readonly { secret: Buffer; until: string }[]
  retry_delays: readonly number[] | null
  isDeleted: boolean
  /** The last change of this service that dispatch has seen; undefined for a provider that no subscription made. */
  version: number | undefined
}

/**
 * Keeps a webhook provider of dispatch. An older change than the known one, and one made before dispatch had seen our own latest,
 * changes nothing. Where dispatch does not say what the previous secret is, another secret makes the one before it the previous one.
 */
export async function saveProviderRow(run: Run, provider: NewProvider, sameSecret: boolean): Promise<void> {
  const { id, tenant_id, application_id, priority, revision, secret, former, retry_delays, isDeleted, version } =
    provider
  const [previous, older] = former
  await run(
    `insert into providers as known (id, tenant_id, application_id, priority, revision, secret, retry_delays,
       previous_secret, previous_until, older_secret, older_until, deleted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $9, $10, $13, $14, case when $11 then now() end)
     on conflict (id) do update set application_id = $3, priority = $4, revision = $5, secret = $6, retry_delays = $7,
       previous_secret = case when $9::bytea is not null then $9 when $8 then known.previous_secret else known.secret end,
       previous_until = case when $9::bytea is not null then $10 when $8 then known.previous_until
         else now() + interval '${previousHours} hours' end,
       older_secret = case when $9::bytea is not null then $13 when $8 then known.older_secret else known.previous_secret end,
       older_until = case when $9::bytea is not null then $14 when $8 then known.older_until else known.previous_until end,
       deleted_at = case when $11 then now() end, updated_at = now()
     where known.revision < $5 and known.version <= coalesce($12, known.version)`,
    [
      ...[id, tenant_id, application_id, priority, revision, secret, retry_delays, sameSecret],
      ...[previous?.secret ?? null, previous?.until ?? null, isDeleted, version ?? null],
      ...[older?.secret ?? null, older?.until ?? null],
    ],
  )
}

export interface ProviderRow {
  id: string
  tenant_id: string
  application_id: string | null
  own: boolean
  secret: Buffer
  deleted_at: Date | null
}

/** A provider of the tenant that an application may use. */
export async function findProvider(run: Run, id: string, tenantId: string): Promise<ProviderRow | undefined> {
  const [row] = await run<ProviderRow>(
    'select id, tenant_id, application_id, own, secret, deleted_at from providers where id = $1 and tenant_id = $2',
    [id, tenantId],
  )
  return row
}

/** The secrets that were rotated out of a provider, encrypted, and until when they sign. */
interface FormerColumns {
  previous_secret: Buffer | null
  previous_until: Date | null
  older_secret: Buffer | null
  older_until: Date | null
}

const formerColumns = 'previous_secret, previous_until, older_secret, older_until'

export interface OwnProvider extends Partial<FormerColumns> {
  id: string
  tenant_id: string
  application_id: string
  subscription_id: string
  /** Encrypted, as in its row. */
  secret: Buffer
  version: number
}

/** A provider that signs for one subscription alone. */
export async function insertOwnProvider(
  run: Run,
  { id, tenantId, applicationId, secret }: { id: string; tenantId: string; applicationId: string; secret: Buffer },
): Promise<void> {
  await run(
    `insert into providers (id, tenant_id, application_id, own, secret, revision, version)
     values ($1, $2, $3, true, $4, 0, 1)`,
    [id, tenantId, applicationId, secret],
  )
}

interface Rotated extends FormerColumns {
  previous_until: Date
  version: number
}

/** Replaces the secret of a subscription's own provider. @returns the secrets before it, and the version */
export async function rotateOwnSecret(run: Run, id: string, secret: Buffer): Promise<Rotated | undefined> {
  const [row] = await run<Rotated>(
    `update providers set secret = $2, version = version + 1, updated_at = now(),
       previous_secret = secret, previous_until = now() + interval '${previousHours} hours',
       older_secret = case when previous_until > now() then previous_secret end, older_until = previous_until
     where id = $1 and own returning ${formerColumns}, version`,
    [id, secret],
  )
  return row
}

/** Deletes a subscription's own provider. @returns its secret, and the version of this change */
export async function deleteOwnProvider(
  run: Run,
  id: string,
): Promise<{ secret: Buffer; version: number } | undefined> {
  const [row] = await run<{ secret: Buffer; version: number }>(
    'delete from providers where id = $1 and own returning secret, version + 1 as version',
    [id],
  )
  return row
}

/**
 * Claims own providers that dispatch was never told of, and counts them as told. Dispatch numbers their revisions from 1.
 * Those that no subscription names are left alone.
 */
export function claimUntoldProviders(run: Run, limit: number): Promise<OwnProvider[]> {
  return run<OwnProvider>(
    `update providers p set version = 1, revision = 0
     from (select p.id, s.id as subscription_id, s.application_id
           from providers p cross join lateral (
             select id, application_id from subscriptions where tenant_id = p.tenant_id and provider_id = p.id limit 1) as s
           where p.own and p.version = 0
           order by p.id limit $1 for update of p skip locked) as untold
     where p.id = untold.id
     returning p.id, p.tenant_id, untold.application_id, untold.subscription_id, p.secret, p.version`,
    [limit],
  )
}

/** The webhook provider that signs an application's sends: the first by priority. */
export async function chooseProviders(
  run: Run,
  wanted: readonly { tenant_id: string; application_id: string }[],
): Promise<Map<string, `prov_${string}`>> {
  const rows = await run<{ application_id: string; id: `prov_${string}` }>(
    `select w.application_id, p.id
     from (select distinct tenant_id, application_id from json_to_recordset($1::json)
             as t (tenant_id text, application_id text)) as w
     cross join lateral (
       select id from providers where tenant_id = w.tenant_id and not own and deleted_at is null
         and (application_id is null or application_id = w.application_id)
       order by priority, id limit 1) as p`,
    [JSON.stringify(wanted)],
  )
  return new Map(rows.map(({ application_id, id }) => [application_id, id]))
}
