import type { Id } from '@notify/contracts'
import { anyOf, type Run } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import type { PreferenceOwner } from './preference-store.ts'

export type ChangeRow = Selectable<Tables['preference_changes']>

interface ListOptions {
  /** Blind indexes of the user id and of addresses. */
  indexes: readonly string[]
  /** The id of the last change that was read. */
  after: Id<'pref'> | undefined
  limit: number
}

/** Changes of the choices of a recipient, newest first. */
export function listChangeRows(
  run: Run,
  { tenantId, applicationId, mode }: PreferenceOwner,
  { indexes, after, limit }: ListOptions,
): Promise<ChangeRow[]> {
  const owner = { tenant_id: tenantId, application_id: applicationId, mode }
  const rows = build
    .selectFrom('preference_changes')
    .selectAll()
    .where((where) => where.and(owner))
    .where('recipient_index', '=', anyOf(indexes))
    .$if(after !== undefined, (query) => query.where('id', '<', after!))
  return run(rows.orderBy('id', 'desc').limit(limit))
}
