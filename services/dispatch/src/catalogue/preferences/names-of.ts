import { type PersonName, tokenOfIndex } from '@notify/contracts'
import { maskEmail, maskPhone } from '@notify/privacy'
import { maskUserId } from '../../channels/in_app/recipient.ts'
import type { Context } from '../../context.ts'
import { openRecipient, type RecipientRow } from '../recipients/recipient-content.ts'
import { findRecipientsOf } from '../recipients/recipient-store.ts'
import type { PreferenceOwner } from './preference-store.ts'

/** The names under which the choices of a person are stored. */
export interface Names {
  names: PersonName[]
  sharing: PersonName[]
  /** What each blind index is; the index that was asked for is always among them. */
  kindOf: ReadonlyMap<string, PersonName['of'] | null>
}

/** The names that the record of a user links with a user id or an address. An address of several users is nobody's alone. */
export async function namesOf(context: Context, owner: PreferenceOwner, index: string): Promise<Names> {
  const rows = await findRecipientsOf(context.db.run, { ...owner, index })
  const [row] = rows
  if (!row) return { names: [], sharing: [], kindOf: new Map([[index, null]]) }
  if (rows.length > 1) {
    const sharing = rows.flatMap((each) => describe(context, each).filter(({ of }) => of === 'user'))
    return { names: [], sharing, kindOf: new Map([[index, null]]) }
  }
  const { user_index, email_index, phone_index } = row
  const addresses = [
    [email_index, 'email'],
    [phone_index, 'phone'],
  ] as const
  const kindOf = new Map<string, PersonName['of']>([[user_index, 'user']])
  // A user id may be the address itself: then its choices are those of the user.
  for (const [known, kind] of addresses) if (known !== null && !kindOf.has(known)) kindOf.set(known, kind)
  return { names: describe(context, row), sharing: [], kindOf }
}

function describe({ secrets }: Context, row: RecipientRow): PersonName[] {
  const { user_id, email, phone } = openRecipient(secrets.keyRing, row)
  const name = (of: PersonName['of'], index: string | null, recipient_masked: string | undefined): PersonName[] =>
    index === null || recipient_masked === undefined
      ? []
      : [{ of, recipient_token: tokenOfIndex(index), recipient_masked }]
  return [
    ...name('user', row.user_index, maskUserId(user_id)),
    ...name('email', row.email_index, email && maskEmail(email)),
    ...name('phone', row.phone_index, phone && maskPhone(phone)),
  ]
}
