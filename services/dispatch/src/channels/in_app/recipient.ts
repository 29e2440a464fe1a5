import { type DispatchRequest, UserId } from '@notify/contracts'
import { requireShape } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` for what is not a user id */
export function readUserId({ recipient }: Pick<DispatchRequest, 'recipient'>): string {
  return requireShape(UserId, recipient, { at: 'recipient', code: 'invalid_recipient' })
}

/** A user id may be an address or a number, so little of it is shown: `user-42` becomes `u***2`. */
export function maskUserId(userId: string): string {
  const characters = [...userId]
  const [first = ''] = characters
  return characters.length < 4 ? `${first}***` : `${first}***${characters.at(-1)}`
}
