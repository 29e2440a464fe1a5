import type { Id, TemplateChange } from '@notify/contracts'
import { defineStatement, pick, type Run } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables, tables } from '../../db/schema.ts'
import type { DueSync } from './claim-syncs.ts'

export type CarrierTemplateRow = Selectable<Tables['carrier_templates']>

/** A carrier's list may be older than its report. Reports of this time share a synchronisation. */
const listedAfterMs = 5000

const plan = defineStatement({
  name: 'plan-template-syncs',
  text: `
    insert into carrier_template_syncs as known (provider_id, tenant_id, revision, next_sync_at)
    select p.id, p.tenant_id, p.revision, now() from providers p left join carrier_template_syncs s on s.provider_id = p.id
    where p.kind = any ($1) and p.deleted_at is null and s.revision is distinct from p.revision
    on conflict (provider_id) do update set revision = excluded.revision, next_sync_at = now()
    where known.revision < excluded.revision`,
})

/** Plans the synchronisation of new accounts, and of those whose credentials changed. */
export async function planSyncs(run: Run, kinds: readonly string[]): Promise<void> {
  await run(plan, [kinds])
}

/** Postpones a failed synchronisation, longer after each failure, unless it was requested meanwhile. Stored templates stay. */
export async function postponeSync(run: Run, due: DueSync, error: string, longestMs: number): Promise<void> {
  const wait = sql`least(5000 * power(2, least(failures, 10)), ${longestMs}) * interval '1 millisecond'`
  const next_sync_at = sql<Date>`case when next_sync_at = ${due.leased_until}::timestamptz then now() + ${wait} else next_sync_at end`
  await run(
    build
      .updateTable('carrier_template_syncs')
      .set({ failures: sql<number>`least(failures + 1, 10)`, error, next_sync_at })
      .where('provider_id', '=', due.provider_id),
  )
}

/** Deletes the templates of a deleted account. */
export async function forgetAccount(run: Run, providerId: Id<'prov'>): Promise<void> {
  await run(build.deleteFrom('carrier_template_syncs').where('provider_id', '=', providerId))
  await run(build.deleteFrom('carrier_templates').where('provider_id', '=', providerId))
}

/** Applies a webhook's report unless a newer state is known. A status, or an unknown template, causes a synchronisation. */
export async function applyTemplateReport(run: Run, report: TemplateChange): Promise<void> {
  const { provider_id, tenant_id, name, language, status, category, quality } = report
  const reported_at = new Date(report.received_at)
  const changed = await run(
    build
      .updateTable('carrier_templates')
      .set({ status, category, quality, reported_at })
      .where((where) => where.and({ provider_id, name, language, tenant_id }))
      .where('reported_at', '<=', reported_at)
      .returning('name'),
  )
  if (changed.length === 0) await requestSync(run, tenant_id, provider_id)
  // The report may be a late repetition of an old one, and lacks the text that the carrier has reviewed.
  else if (status !== undefined) await requestSync(run, tenant_id, provider_id, listedAfterMs)
}

/** Makes the synchronisation of a tenant's accounts, or of one, due now or after a time. @returns their number */
export async function requestSync(
  run: Run,
  tenantId: Id<'ten'>,
  providerId?: Id<'prov'>,
  afterMs = 0,
): Promise<number> {
  const rows = await run(
    build
      .updateTable('carrier_template_syncs')
      .set({ next_sync_at: sql<Date>`least(next_sync_at, now() + ${afterMs} * interval '1 millisecond')` })
      .where('tenant_id', '=', tenantId)
      .$if(providerId !== undefined, (query) => query.where('provider_id', '=', providerId!))
      .returning('provider_id'),
  )
  return rows.length
}

const find = defineStatement({
  name: 'find-carrier-template',
  text: 'select status, category, content from carrier_templates where provider_id = $1 and name = $2 and language = $3',
  columns: pick(tables.carrier_templates, 'status', 'category', 'content'),
})

/** The carrier's judgement on a template of an account; undefined for an unknown template. */
export async function findTemplate(
  run: Run,
  providerId: string,
  name: string,
  language: string,
): Promise<Pick<CarrierTemplateRow, 'status' | 'category' | 'content'> | undefined> {
  return (await run(find, [providerId, name, language]))[0]
}

/** Whose accounts are asked: those that an application may use, or all of the tenant. */
export interface Owner {
  tenantId: Id<'ten'>
  applicationId: Id<'app'> | null
}

/** A template in each account that has it, in the order in which providers are tried. */
export function templatesNamed(
  run: Run,
  { tenantId, applicationId }: Owner,
  { name, language }: { name: string; language: string },
): Promise<Pick<CarrierTemplateRow, 'status' | 'category' | 'content'>[]> {
  return run(
    build
      .selectFrom('providers as p')
      .innerJoin('carrier_templates as t', 't.provider_id', 'p.id')
      .select(['t.status', 't.category', 't.content'])
      .where('p.tenant_id', '=', tenantId)
      .where('p.deleted_at', 'is', null)
      .$if(applicationId !== null, (query) =>
        query.where((is) => is.or([is('p.application_id', 'is', null), is('p.application_id', '=', applicationId)])),
      )
      .where((is) => is.and({ 't.name': name, 't.language': language }))
      .orderBy('p.priority')
      .orderBy('p.id'),
  )
}

/** The position of a template in the list of a tenant. */
export type TemplatePosition = [providerId: Id<'prov'>, name: string, language: string]

/** A page of a tenant's templates, by provider, name and language. */
export function listTemplateRows(
  run: Run,
  tenantId: Id<'ten'>,
  { after, limit }: { after: TemplatePosition | undefined; limit: number },
): Promise<CarrierTemplateRow[]> {
  const templates = build
    .selectFrom('carrier_templates')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) => eb(refTuple('provider_id', 'name', 'language'), '>', tuple(...after!))),
    )
  return run(templates.orderBy('provider_id').orderBy('name').orderBy('language').limit(limit))
}
