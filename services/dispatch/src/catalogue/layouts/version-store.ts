import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import type { LayoutRow } from './layout-store.ts'

export type LayoutVersionRow = Selectable<Tables['layout_versions']>
export type LayoutVersionSummaryRow = Omit<LayoutVersionRow, 'html_body' | 'body' | 'translations'>

interface LayoutId {
  tenantId: Id<'ten'>
  id: Id<'lay'>
}

const keysOf = ({ tenantId, id }: LayoutId) => ({ tenant_id: tenantId, layout_id: id })

/** Stores what a layout has become, in the transaction that changes it, and keeps the newest ones. @param most how many */
export async function keepLayoutVersion(run: Run, row: LayoutRow, savedBy: string, most: number): Promise<void> {
  const { id, tenant_id, version, application_id, name, html_body, body, translations, updated_at } = row
  await run(
    build.insertInto('layout_versions').values({
      ...{ tenant_id, layout_id: id, version, application_id, name, html_body, body },
      ...{ translations: translations && JSON.stringify(translations), saved_by: savedBy, saved_at: updated_at },
    }),
  )
  await run(
    build
      .deleteFrom('layout_versions')
      .where('layout_id', '=', id)
      .where('version', '<=', version - most),
  )
}

export async function findLayoutVersion(
  run: Run,
  of: LayoutId,
  version: number,
): Promise<LayoutVersionRow | undefined> {
  const [row] = await run(
    build
      .selectFrom('layout_versions')
      .selectAll()
      .where((where) => where.and({ ...keysOf(of), version })),
  )
  return row
}

/** The versions of a layout, newest first. @param after number of the last one of the previous page */
export function listLayoutVersionRows(
  run: Run,
  of: LayoutId,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<LayoutVersionSummaryRow[]> {
  const versions = build
    .selectFrom('layout_versions')
    .select(['tenant_id', 'layout_id', 'version', 'application_id', 'name', 'saved_by', 'saved_at'])
    .where((where) => where.and(keysOf(of)))
    .$if(after !== undefined, (query) => query.where('version', '<', after!))
  return run(versions.orderBy('version', 'desc').limit(limit))
}

/** Deletes the versions of a locked layout. */
export async function removeLayoutVersions(run: Run, of: LayoutId): Promise<void> {
  await run(build.deleteFrom('layout_versions').where((where) => where.and(keysOf(of))))
}
