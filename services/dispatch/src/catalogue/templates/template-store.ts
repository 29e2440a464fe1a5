import type { Channel, EventTemplates, Id } from '@notify/contracts'
import { cast, column, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import type { KeptTranslations } from '../../db/event-tables.ts'
import { build, type Tables } from '../../db/schema.ts'
import { jsonOf } from '../translations/keep-translations.ts'

export type TemplateRow = Selectable<Tables['templates']>
export type TemplateSummaryRow = Omit<TemplateRow, 'templates' | 'translations' | 'translation_bases'> & {
  channels: Channel[]
}

/** The editable part of a template. */
interface TemplateText extends KeptTranslations {
  name: string
  application_id: Id<'app'> | null
  templates: EventTemplates
}

/** @throws Problem `template_limit_reached` */
export function requireRoomForTemplate(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build.selectFrom('templates').select('id').where('tenant_id', '=', tenantId)
  const [code, what] = ['template_limit_reached', 'stored templates of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

export async function insertTemplate(
  run: Run,
  { id, tenantId, name, application_id, ...texts }: TemplateText & { id: Id<'tmpl'>; tenantId: Id<'ten'> },
): Promise<TemplateRow> {
  const values = { id, tenant_id: tenantId, application_id, name, ...jsonOf(texts) }
  const [row] = await run(build.insertInto('templates').values(values).returningAll())
  return row!
}

const one = (tenantId: Id<'ten'>, id: Id<'tmpl'>) =>
  build.selectFrom('templates').selectAll().where('id', '=', id).where('tenant_id', '=', tenantId)

export async function findTemplate(run: Run, tenantId: Id<'ten'>, id: Id<'tmpl'>): Promise<TemplateRow | undefined> {
  return (await run(one(tenantId, id)))[0]
}

/** Finds a template and locks it until the transaction ends. */
export async function lockTemplate(run: Run, tenantId: Id<'ten'>, id: Id<'tmpl'>): Promise<TemplateRow | undefined> {
  return (await run(one(tenantId, id).forUpdate()))[0]
}

/** The templates of a tenant, newest first. @param after id of the last one of the previous page */
export function listTemplateRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: Id<'tmpl'> | undefined; limit: number },
): Promise<TemplateSummaryRow[]> {
  const templates = build
    .selectFrom('templates')
    .select(['id', 'tenant_id', 'application_id', 'name', 'version', 'created_at', 'updated_at'])
    .select(cast(column.texts<Channel>(), sql`array(select jsonb_object_keys(templates))`).as('channels'))
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(templates.orderBy('id', 'desc').limit(limit))
}

/** Replaces a template's content; accepted notifications have their text already. */
export async function updateTemplate(
  run: Run,
  tenantId: Id<'ten'>,
  id: Id<'tmpl'>,
  { name, application_id, ...texts }: TemplateText,
): Promise<TemplateRow | undefined> {
  const [row] = await run(
    build
      .updateTable('templates')
      .set(({ eb }) => ({
        ...{ name, application_id, ...jsonOf(texts), version: eb('version', '+', 1) },
        updated_at: sql<Date>`date_trunc('milliseconds', now())`,
      }))
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .returningAll(),
  )
  return row
}

/** @returns the template as it was; undefined if there was none */
export async function removeTemplate(run: Run, tenantId: Id<'ten'>, id: Id<'tmpl'>): Promise<TemplateRow | undefined> {
  const removed = build.deleteFrom('templates').where('id', '=', id).where('tenant_id', '=', tenantId).returningAll()
  return (await run(removed))[0]
}
