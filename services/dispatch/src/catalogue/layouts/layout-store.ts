import type { Id, LayoutTexts, LayoutTranslations } from '@notify/contracts'
import { cast, column, type Run, requireRoom } from '@notify/database'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type LayoutRow = Selectable<Tables['layouts']>
export type LayoutSummaryRow = Omit<LayoutRow, 'html_body' | 'body' | 'translations'> & { locales: string[] }

/** The editable part of a layout. */
interface LayoutContent extends LayoutTexts {
  name: string
  application_id: Id<'app'> | null
  translations: LayoutTranslations | null
}

const columnsOf = ({ name, application_id, html_body, body, translations }: LayoutContent) => ({
  ...{ name, application_id, html_body, body: body ?? null },
  translations: translations && JSON.stringify(translations),
})

/** @throws Problem `layout_limit_reached` */
export function requireRoomForLayout(run: Run, tenantId: Id<'ten'>, most: number): Promise<void> {
  const rows = build.selectFrom('layouts').select('id').where('tenant_id', '=', tenantId)
  const [code, what] = ['layout_limit_reached', 'layouts of a tenant'] as const
  return requireRoom(run, { code, what, rows, owner: [tenantId], most })
}

export async function insertLayout(
  run: Run,
  { id, tenantId, ...content }: LayoutContent & { id: Id<'lay'>; tenantId: Id<'ten'> },
): Promise<LayoutRow> {
  const values = { id, tenant_id: tenantId, ...columnsOf(content) }
  const [row] = await run(build.insertInto('layouts').values(values).returningAll())
  return row!
}

const one = (tenantId: Id<'ten'>, id: Id<'lay'>) =>
  build.selectFrom('layouts').selectAll().where('id', '=', id).where('tenant_id', '=', tenantId)

export async function findLayout(run: Run, tenantId: Id<'ten'>, id: Id<'lay'>): Promise<LayoutRow | undefined> {
  return (await run(one(tenantId, id)))[0]
}

/** Locks a layout for the rest of the transaction: what is saved meanwhile cannot begin to use it. */
export async function lockLayout(run: Run, tenantId: Id<'ten'>, id: Id<'lay'>): Promise<LayoutRow | undefined> {
  return (await run(one(tenantId, id).forUpdate()))[0]
}

/** The layouts among these, which nobody deletes before the transaction ends. Sorted, so that no two wait for each other. */
export function keepLayouts(run: Run, tenantId: Id<'ten'>, ids: readonly Id<'lay'>[]) {
  const kept = build.selectFrom('layouts').select(['id', 'application_id']).where('tenant_id', '=', tenantId)
  return run(
    kept
      .where('id', 'in', [...ids])
      .orderBy('id')
      .forShare(),
  )
}

/** The layouts of a tenant, newest first. @param after id of the last one of the previous page */
export function listLayoutRows(
  run: Run,
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: Id<'lay'> | undefined; limit: number },
): Promise<LayoutSummaryRow[]> {
  const layouts = build
    .selectFrom('layouts')
    .select(['id', 'tenant_id', 'application_id', 'name', 'version', 'created_at', 'updated_at'])
    .select(
      cast(column.texts(), sql`array(select jsonb_object_keys(coalesce(translations, '{}')) order by 1)`).as('locales'),
    )
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(layouts.orderBy('id', 'desc').limit(limit))
}

/** Replaces a locked layout; accepted notifications have their text already. */
export async function updateLayout(
  run: Run,
  tenantId: Id<'ten'>,
  id: Id<'lay'>,
  content: LayoutContent,
): Promise<LayoutRow> {
  const [row] = await run(
    build
      .updateTable('layouts')
      .set(({ eb }) => ({
        ...{ ...columnsOf(content), version: eb('version', '+', 1) },
        updated_at: sql<Date>`date_trunc('milliseconds', now())`,
      }))
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .returningAll(),
  )
  return row!
}

/** Deletes a locked layout. */
export async function removeLayout(run: Run, tenantId: Id<'ten'>, id: Id<'lay'>): Promise<void> {
  await run(build.deleteFrom('layouts').where('id', '=', id).where('tenant_id', '=', tenantId))
}
