import { cast, column, type OthersOf, type Person, type Queries, tryOpen } from '@notify/database'
import { isSameRecipient, type KeyRing, maskEmail, maskPhone, spellingsOf } from '@notify/privacy'
import { type ExpressionBuilder, sql } from 'kysely'
import { openRecipient } from '../catalogue/recipients/recipient-content.ts'
import { maskUserId } from '../channels/in_app/recipient.ts'
import { build, type Tables } from '../db/schema.ts'
import { addressesOf } from './notifications-of-person.ts'

/** Users of an address whose identifiers are named. */
const mostNamed = 1000

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

/** What else the person is known by: as a user, and in messages that named the user by id. */
export const otherIdentifiers: OthersOf<{ ENCRYPTION_KEYS: KeyRing }> = async ({ ENCRYPTION_KEYS }, db, person) => {
  const users = await db.runLong(
    build.selectFrom('recipients').select(['tenant_id', 'id', 'content']).where(isTheirs(person)).limit(mostNamed),
  )
  const given = spellingsOf(person.recipient)
  const masked = users.flatMap((user) => {
    const known = tryOpen(() => openRecipient(ENCRYPTION_KEYS, user))
    if (!known) return ['of a user whose data cannot be decrypted']
    const identifiers = [
      { value: known.user_id, name: 'user id', mask: maskUserId },
      { value: known.email, name: 'email address', mask: maskEmail },
      { value: known.phone, name: 'phone number', mask: maskPhone },
    ]
    return identifiers.flatMap(({ value, name, mask }) =>
      !value || given.some((one) => isSameRecipient(one, value)) ? [] : [`${name} ${mask(value)}`],
    )
  })
  const former = (await addressesOf(db, person)).filter((address) => !masked.some((one) => one.endsWith(` ${address}`)))
  return [...new Set([...masked, ...former.map((address) => `former address ${address}`)])]
}
