import type { Id } from '@notify/contracts'
import { anyOf, cast, column, type Person, type Queries, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const batch = 100
const count = cast(column.integer(), sql`count(*)`).as('count')
const modes = sql<'live'>`any('{live,test}')`

const entriesOf = ({ tenantId, index = '' }: Person) =>
  build
    .selectFrom('consent_entries')
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', modes)
    .where('recipient_index', '=', index)

export async function countEntries(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(entriesOf(person).select(count))
  return row!.count
}

/** The next entries of a person, locked, in the order of their index: a number may have 100,000 entries. */
export function lockEntries(run: Run, person: Person) {
  const next = entriesOf(person).select(['id', 'tenant_id']).orderBy('mode').orderBy('sequence')
  return run(next.limit(batch).forUpdate())
}

/** Entries keep what was done and when; `details` no longer identify a person. */
export async function eraseEntries(run: Run, entries: readonly { id: Id<'optin'>; details: Buffer }[]): Promise<void> {
  for (const { id, details } of entries) {
    const erased = { recipient_index: `erased ${id}`, evidence_index: null, origin: null, details }
    await run(build.updateTable('consent_entries').set(erased).where('id', '=', id))
  }
}

const consentsOf = ({ tenantId, index = '' }: Person) =>
  build
    .selectFrom('consents')
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', modes)
    .where('recipient_index', '=', index)

/** Waits for changes that are being recorded: the next statement sees their entries. */
export async function lockConsents(run: Run, person: Person): Promise<void> {
  await run(consentsOf(person).select('mode').orderBy('mode').forUpdate())
}

export async function countConsents(db: Queries, person: Person): Promise<number> {
  const all = consentsOf(person).select(count)
  const isLeft = sql<boolean>`(not marketing_stopped and status <> 'revoked' or entry_id is not null or status = 'active')`
  const [row] = await db.runLong(person.forgetStops ? all : all.where(isLeft))
  return row!.count
}

const hasStop = sql<boolean>`exists (select from waiting_changes w where w.tenant_id = users.tenant_id
  and w.user_index = users.user_index and w.action in ('opt_out', 'marketing_stop'))`

/** A page of the users of a tenant; users whose stops wait for their number only if stops are forgotten. */
export function readUsers(db: Queries, { tenantId, forgetStops }: Person, after: string) {
  const page = build
    .selectFrom('users')
    .select(['user_index', 'phone'])
    .where('tenant_id', '=', tenantId)
    .where('user_index', '>', after)
    .orderBy('user_index')
    .limit(500)
  return db.runLong(forgetStops ? page : page.where(({ not }) => not(hasStop)))
}

/** @returns how many there were */
export async function deleteUsers(db: Queries, tenantId: Id<'ten'>, indexes: readonly string[]): Promise<number> {
  const rows = await db.runLong(
    build
      .with('waiting', () =>
        build.deleteFrom('waiting_changes').where('tenant_id', '=', tenantId).where('user_index', '=', anyOf(indexes)),
      )
      .deleteFrom('users')
      .where('tenant_id', '=', tenantId)
      .where('user_index', '=', anyOf(indexes))
      .returning('user_index'),
  )
  return rows.length
}
