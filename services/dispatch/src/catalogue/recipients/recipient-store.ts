import type { Id, KeyMode } from '@notify/contracts'
import { anyOf, type Run } from '@notify/database'
import { type Insertable, sql } from 'kysely'
import { build, type Tables } from '../../db/schema.ts'
import type { RecipientRow } from './recipient-content.ts'

/** More users of one address are not listed. */
const mostSharing = 20

/** Finds users by the ids of their rows. */
export function findRecipients(run: Run, ids: readonly string[]): Promise<RecipientRow[]> {
  return run(build.selectFrom('recipients').selectAll().where('id', '=', anyOf(ids)))
}

interface Known {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  mode: KeyMode
  /** Blind index of the user id or of an address. */
  index: string
}

/** The users of a name. An address may be shared. A union: with `or`, Postgres would read the users of all tenants. */
export function findRecipientsOf(run: Run, { tenantId, applicationId, mode, index }: Known): Promise<RecipientRow[]> {
  const owner = { tenant_id: tenantId, application_id: applicationId, mode }
  const by = (name: 'user_index' | 'email_index' | 'phone_index') =>
    build
      .selectFrom('recipients')
      .selectAll()
      .where((where) => where.and({ ...owner, [name]: index }))
  return run(by('user_index').union(by('email_index')).union(by('phone_index')).orderBy('id').limit(mostSharing))
}

/** Creates a user, or replaces all that is known of it. */
export async function saveRecipient(run: Run, row: Insertable<Tables['recipients']>): Promise<RecipientRow> {
  const { email_index, phone_index, content, has_quiet_hours } = row
  const changed = { email_index, phone_index, content, has_quiet_hours }
  const insert = build.insertInto('recipients').values(row)
  const save = insert.onConflict((conflict) =>
    conflict.column('id').doUpdateSet({ ...changed, updated_at: sql<Date>`date_trunc('milliseconds', now())` }),
  )
  const [saved] = await run(save.returningAll())
  return saved!
}

/** @returns whether there was one */
export async function removeRecipient(run: Run, id: string): Promise<boolean> {
  const removed = await run(build.deleteFrom('recipients').where('id', '=', id).returning('id'))
  return removed.length > 0
}
