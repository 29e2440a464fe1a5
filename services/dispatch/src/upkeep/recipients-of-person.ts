import { cast, column, type Person, type Queries } from '@notify/database'
import { type ExpressionBuilder, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

/** The users that a person is, by user id or by an address. */
const isTheirs =
  ({ tenantId, index = '' }: Person) =>
  ({ eb, or, and }: ExpressionBuilder<Tables, 'recipients'>) =>
    and([
      eb('tenant_id', '=', tenantId),
      or([eb('user_index', '=', index), eb('email_index', '=', index), eb('phone_index', '=', index)]),
    ])

export async function countRecipients(db: Queries, person: Person): Promise<number> {
  const users = build
    .selectFrom('recipients')
    .select(cast(column.integer(), sql`count(*)`).as('count'))
    .where(isTheirs(person))
  return (await db.runLong(users))[0]!.count
}

/** Erases a user whole, because what is left would still name the person. @returns how many there were */
export async function eraseRecipients(db: Queries, person: Person): Promise<number> {
  return (await db.runLong(build.deleteFrom('recipients').where(isTheirs(person)).returning('id'))).length
}
