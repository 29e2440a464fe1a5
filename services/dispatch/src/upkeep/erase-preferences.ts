import { cast, column, type Person, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const count = cast(column.integer(), sql`count(*)::int`).as('count')
const ofPerson = ({ tenantId, index = '' }: Person) =>
  sql<boolean>`tenant_id = ${tenantId} and recipient_index = ${index}`
/** A choice that switches off has the index alone, as a suppression: the person stays switched off. */
const isForgotten = (person: Person) => sql<boolean>`${ofPerson(person)} and (state = 'on' or ${person.forgetStops})`

export async function countPreferences(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(build.selectFrom('preferences').select(count).where(isForgotten(person)))
  return row!.count
}

/** @returns how many there were */
export async function erasePreferences(db: Queries, person: Person): Promise<number> {
  return (await db.runLong(build.deleteFrom('preferences').where(isForgotten(person)).returning('topic'))).length
}

export async function countPreferenceChanges(db: Queries, person: Person): Promise<number> {
  const [row] = await db.runLong(build.selectFrom('preference_changes').select(count).where(ofPerson(person)))
  return row!.count
}

/** The entries lose the person: nothing in them leads back. @returns how many there were */
export async function erasePreferenceChanges(db: Queries, person: Person): Promise<number> {
  const erased = build
    .updateTable('preference_changes')
    .set({ recipient_index: sql<string>`'erased ' || id` })
    .where(ofPerson(person))
    .returning('id')
  return (await db.runLong(erased)).length
}
