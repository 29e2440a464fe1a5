import { channelContracts, type DispatchRequest, NewRecipient, UserId } from '@notify/contracts'
import { fieldProblem, type Problem, requireShape } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { type RecipientOwner, recipientId } from './recipient-content.ts'
import type { NamedUser, WithRecipients } from './recipient-directory.ts'

/** A request whose recipient is an address. */
export type Addressed<R extends Named> = R & { user?: NamedUser | undefined }

interface Named {
  principal: RecipientOwner
  request: DispatchRequest
}

/**
 * Puts the address of a user in the place of the user's id. Other requests stay as they are.
 * @throws Problem `recipient_unknown` for a user without an address of the channel, `invalid_recipient`
 */
export async function addressed<R extends Named>(
  { secrets, directory }: Pick<Context, 'secrets'> & WithRecipients,
  named: R,
): Promise<Addressed<R>> {
  const { principal, request } = named
  if (typeof request.recipient === 'string' || !('user_id' in request.recipient)) return named
  const { user_id, ...others } = request.recipient
  const userId = requireShape(UserId, user_id, { at: 'recipient.user_id', code: 'invalid_recipient' })
  const index = secrets.blindIndex(principal.tenant_id, userId)
  const found = await directory.recipients.find(recipientId(principal, index))
  if (!found) throw unknown('names no user of this application: PUT /api/v1/users/{user_id} creates one')
  const { addressField } = channelContracts[request.channel]
  const address = addressField === undefined ? userId : found[addressField as 'email' | 'phone']
  if (addressField !== undefined && !Object.hasOwn(NewRecipient.shape, addressField))
    throw unknown(`names a user, but no user has a ${addressField}: give recipient.${addressField}`)
  if (address === undefined) throw unknown(`names a user without an address of the channel ${request.channel}`)
  const recipient = addressField === undefined ? userId : { ...others, [addressField]: address }
  const { locale, timezone } = found
  return { ...named, request: { ...request, recipient }, user: { id: userId, index, locale, timezone } }
}

const unknown = (message: string): Problem => fieldProblem('recipient_unknown', 'recipient.user_id', message)
