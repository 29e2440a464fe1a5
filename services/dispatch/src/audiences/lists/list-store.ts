import type { Id, KeyMode, Principal } from '@notify/contracts'
import { type Run, requireRoom } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { type Selectable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'

export type ListRow = Selectable<Tables['lists']>

/** Who may see what: a key that of its application and mode, an operator that of the tenant. */
export type Owner = Extract<Principal, { kind: 'key' | 'operator' }>

/** The lists of a caller. */
function own(owner: Owner) {
  const lists = build.selectFrom('lists').selectAll().where('tenant_id', '=', owner.tenant_id)
  const left = lists.where('deleted_at', 'is', null)
  if (owner.kind === 'operator') return left
  return left.where('application_id', '=', owner.application_id).where('mode', '=', owner.mode)
}

/** @throws Problem `list_not_found` */
export async function requireList(run: Run, owner: Owner, id: Id<'list'>): Promise<ListRow> {
  const [row] = await run(own(owner).where('id', '=', id))
  if (!row) throw listMissing()
  return row
}

export const listMissing = () => new Problem('list_not_found', 'This application has no list with this id')

/** A page of lists, newest first. */
export function listRows(
  run: Run,
  owner: Owner,
  { mode, after, limit }: { mode: KeyMode | undefined; after: Id<'list'> | undefined; limit: number },
): Promise<ListRow[]> {
  const rows = own(owner)
    .$if(mode !== undefined, (query) => query.where('mode', '=', mode!))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(rows.orderBy('id', 'desc').limit(limit))
}

type NewList = Pick<ListRow, 'id' | 'tenant_id' | 'application_id' | 'mode' | 'name'>

/** @throws Problem `list_limit_reached` */
export async function insertList(run: Run, list: NewList, most: number): Promise<ListRow> {
  const { tenant_id, application_id, mode } = list
  const rows = build
    .selectFrom('lists')
    .select('id')
    .where('tenant_id', '=', tenant_id)
    .where('application_id', '=', application_id)
    .where('mode', '=', mode)
    .where('deleted_at', 'is', null)
  const owner = [application_id, mode]
  await requireRoom(run, { code: 'list_limit_reached', what: 'lists of an application', rows, owner, most })
  const [row] = await run(build.insertInto('lists').values(list).returningAll())
  return row!
}

const now = sql<Date>`date_trunc('milliseconds', now())`

/** @returns undefined if it was deleted */
export async function renameList(run: Run, id: Id<'list'>, name: string): Promise<ListRow | undefined> {
  const renamed = build.updateTable('lists').set({ name, updated_at: now }).where('id', '=', id)
  return (await run(renamed.where('deleted_at', 'is', null).returningAll()))[0]
}
