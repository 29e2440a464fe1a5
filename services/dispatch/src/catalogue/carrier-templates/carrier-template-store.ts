import type { CarrierTemplate } from '@notify/carriers/sending'
import { claimDueSql, type Run, type Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema.ts'

export type CarrierTemplateRow = Selectable<Tables['carrier_templates']>

/** Plans the first synchronisation of new accounts, and another one of those whose credentials changed. */
export async function planSyncs(run: Run, kinds: readonly string[]): Promise<void> {
  await run(
    {
      name: 'plan-template-syncs',
      text: `
        insert into carrier_template_syncs as known (provider_id, revision, next_sync_at)
        select p.id, p.revision, now() from providers p left join carrier_template_syncs s on s.provider_id = p.id
        where p.kind = any ($1) and p.deleted_at is null and s.revision is distinct from p.revision
        on conflict (provider_id) do update set revision = excluded.revision, next_sync_at = now()
        where known.revision < excluded.revision`,
    },
    [kinds],
  )
}

/** An account whose templates are to be read. */
export interface DueSync {
  provider_id: string
  tenant_id: string
  kind: string
  credentials: Buffer
  /** When the reading began, by the clock of Postgres. */
  started_at: Date
}

const claim = claimDueSql(
  { table: 'carrier_template_syncs', key: ['provider_id'], due: 'next_sync_at' },
  { limit: '$1', leaseMs: '$2' },
)

/** Takes accounts whose templates are due to be read; a worker that ends meanwhile gives them back by its lease. */
export function claimSyncs(run: Run, limit: number, leaseMs: number): Promise<DueSync[]> {
  return run<DueSync>(
    `${claim} select provider_id, p.tenant_id, p.kind, p.credentials, clock_timestamp() as started_at
     from claimed join providers p on p.id = claimed.provider_id`,
    [limit, leaseMs],
  )
}

const save: Statement = {
  name: 'save-carrier-templates',
  text: `
    with input as (
      select * from json_to_recordset($4::json) as t (name text, language text, status text, category text, quality text)
    ), saved as (
      insert into carrier_templates as known (provider_id, tenant_id, name, language, status, category, quality, reported_at)
      select distinct on (name, language) $1, $2, name, language, status, category, quality, $3::timestamptz from input
      order by name, language
      on conflict (provider_id, name, language) do update
      set status = excluded.status, category = excluded.category, quality = excluded.quality, reported_at = excluded.reported_at
      where known.reported_at <= excluded.reported_at
    ), gone as (
      delete from carrier_templates t where t.provider_id = $1 and t.reported_at < $3
        and not exists (select from input where input.name = t.name and input.language = t.language)
    )
    update carrier_template_syncs
    set synced_at = now(), failures = 0, error = null, next_sync_at = now() + $5 * interval '1 millisecond'
    where provider_id = $1`,
}

/** Stores the templates that an account holds. Newer reports by webhook stay. */
export async function saveTemplates(
  run: Run,
  { provider_id, tenant_id, started_at }: DueSync,
  templates: readonly CarrierTemplate[],
  nextMs: number,
): Promise<void> {
  await run(save, [provider_id, tenant_id, started_at, JSON.stringify(templates), nextMs])
}

/** Puts a reading that failed off, a little longer each time; what is known stays. */
export async function postponeSync(run: Run, providerId: string, error: string, longestMs: number): Promise<void> {
  await run(
    `update carrier_template_syncs
     set failures = failures + 1, error = $2, next_sync_at = now() + least(5000 * power(2, least(failures, 10)), $3) * interval '1 millisecond'
     where provider_id = $1`,
    [providerId, error, longestMs],
  )
}

/** Forgets the templates of an account that is deleted. */
export async function forgetAccount(run: Run, providerId: string): Promise<void> {
  await run('delete from carrier_template_syncs where provider_id = $1', [providerId])
  await run('delete from carrier_templates where provider_id = $1', [providerId])
}

/** A carrier's report on one template. */
export interface TemplateNews {
  provider_id: string
  tenant_id: string
  name: string
  language: string
  status: string | null
  category: string | null
  quality: string | null
  reported_at: string
}

/**
 * Applies a webhook's report unless a newer state is known. For an unknown template the account is read again.
 */
export async function applyNews(run: Run, news: TemplateNews): Promise<void> {
  const { provider_id, tenant_id, name, language, status, category, quality, reported_at } = news
  const changed = await run(
    `update carrier_templates
     set status = coalesce($4, status), category = coalesce($5, category), quality = coalesce($6, quality), reported_at = $7
     where provider_id = $1 and name = $2 and language = $3 and tenant_id = $8 and reported_at <= $7 returning 1`,
    [provider_id, name, language, status, category, quality, reported_at, tenant_id],
  )
  if (changed.length === 0) await requestSync(run, tenant_id, provider_id)
}

/** Has the accounts of a tenant read at once, all or one. @returns how many there are */
export async function requestSync(run: Run, tenantId: string, providerId: string | null = null): Promise<number> {
  const rows = await run(
    `update carrier_template_syncs s set next_sync_at = now() from providers p
     where p.id = s.provider_id and p.tenant_id = $1 and ($2::text is null or p.id = $2) returning 1`,
    [tenantId, providerId],
  )
  return rows.length
}

const find: Statement = {
  name: 'find-carrier-template',
  text: `select status, category from carrier_templates where provider_id = $1 and name = $2 and language = $3`,
}

/** A template of an account as the carrier judged it; undefined when it is not known. */
export async function findTemplate(
  run: Run,
  providerId: string,
  name: string,
  language: string,
): Promise<Pick<CarrierTemplateRow, 'status' | 'category'> | undefined> {
  const [row] = await run<Pick<CarrierTemplateRow, 'status' | 'category'>>(find, [providerId, name, language])
  return row
}

/** The categories in which carriers approved a template for the providers that an application may use. */
export async function approvedCategories(
  run: Run,
  { tenantId, applicationId }: { tenantId: string; applicationId: string },
  { name, language }: { name: string; language: string },
): Promise<string[]> {
  const rows = await run<{ category: string }>(
    `select distinct t.category from providers p join carrier_templates t on t.provider_id = p.id
     where p.tenant_id = $1 and p.deleted_at is null and (p.application_id is null or p.application_id = $2)
       and t.name = $3 and t.language = $4 and t.status = 'approved' order by t.category`,
    [tenantId, applicationId, name, language],
  )
  return rows.map(({ category }) => category)
}

/** Where a page of a tenant's templates ends. */
export type TemplatePosition = [providerId: string, name: string, language: string]

/** A page of a tenant's templates, by provider, name and language. */
export function listTemplateRows(
  run: Run,
  tenantId: string,
  { after, limit }: { after: TemplatePosition | undefined; limit: number },
): Promise<CarrierTemplateRow[]> {
  return run<CarrierTemplateRow>(
    `select * from carrier_templates
     where tenant_id = $1 ${after ? 'and (provider_id, name, language) > ($3, $4, $5)' : ''}
     order by provider_id, name, language limit $2`,
    [tenantId, limit, ...(after ?? [])],
  )
}
