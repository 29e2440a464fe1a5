import { type DispatchRequest, UserId } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

/** @throws Problem `invalid_recipient` for what is not a user id */
export function readUserId({ recipient }: Pick<DispatchRequest, 'recipient'>): string {
  const { success, data, error } = UserId.safeParse(recipient)
  if (success) return data
  const message = typeof recipient === 'string' ? error.issues[0]!.message : "must be the user's id, a string"
  throw new Problem('invalid_recipient', `recipient ${message}`, { errors: [{ path: 'recipient', message }] })
}

/** A user id may be an address or a number, so little of it is shown: `user-42` becomes `u***2`. */
export function maskUserId(userId: string): string {
  const characters = [...userId]
  const [first = ''] = characters
  return characters.length < 4 ? `${first}***` : `${first}***${characters.at(-1)}`
}
