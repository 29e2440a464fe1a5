import type { Channel, EventTemplates, Id } from '@notify/contracts'
import { type Run, requireRoom } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type TemplateRow = Selectable<Tables['templates']>
export type TemplateSummaryRow = Omit<TemplateRow, 'templates'> & { channels: Channel[] }

/** The editable part of a template. */
interface TemplateText {
  name: string
  application_id: string | null
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
  { id, tenantId, name, application_id, templates }: TemplateText & { id: string; tenantId: string },
): Promise<TemplateRow> {
  const [row] = await run<TemplateRow>(
    `insert into templates (id, tenant_id, application_id, name, templates) values ($1, $2, $3, $4, $5) returning *`,
    [id, tenantId, application_id, name, JSON.stringify(templates)],
  )
  return row!
}

export async function findTemplate(run: Run, tenantId: string, id: string): Promise<TemplateRow | undefined> {
  const [row] = await run<TemplateRow>('select * from templates where id = $1 and tenant_id = $2', [id, tenantId])
  return row
}

/** Finds a template and locks it until the transaction ends. */
export async function lockTemplate(run: Run, tenantId: string, id: string): Promise<TemplateRow | undefined> {
  const text = 'select * from templates where id = $1 and tenant_id = $2 for update'
  return (await run<TemplateRow>(text, [id, tenantId]))[0]
}

/** The templates of a tenant, newest first. @param after id of the last one of the previous page */
export function listTemplateRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<TemplateSummaryRow[]> {
  return run<TemplateSummaryRow>(
    `select id, tenant_id, application_id, name, version, created_at, updated_at,
            array(select jsonb_object_keys(templates)) as channels
     from templates where tenant_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
    [tenantId, after ?? null, limit],
  )
}

/** Replaces a template's content; accepted notifications have their text already. */
export async function updateTemplate(
  run: Run,
  tenantId: string,
  id: string,
  { name, application_id, templates }: TemplateText,
): Promise<TemplateRow | undefined> {
  const [row] = await run<TemplateRow>(
    `update templates set name = $3, application_id = $4, templates = $5, version = version + 1,
            updated_at = date_trunc('milliseconds', now())
     where id = $1 and tenant_id = $2 returning *`,
    [id, tenantId, name, application_id, JSON.stringify(templates)],
  )
  return row
}

/** @returns the template as it was; undefined if there was none */
export async function removeTemplate(run: Run, tenantId: string, id: string): Promise<TemplateRow | undefined> {
  const text = 'delete from templates where id = $1 and tenant_id = $2 returning *'
  return (await run<TemplateRow>(text, [id, tenantId]))[0]
}
