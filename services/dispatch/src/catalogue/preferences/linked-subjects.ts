import type { Context } from '../../context.ts'
import { recipientId } from '../recipients/recipient-content.ts'
import type { WithRecipients } from '../recipients/recipient-directory.ts'
import { type Subject, subjectsOf } from './person.ts'
import type { PreferenceOwner } from './preference-store.ts'

/** An address that is saved for a user. */
export interface LinkedAddress extends Subject {
  /** Its choices count for the user on the channels that use this field. */
  field: 'email' | 'phone'
}

/** The subjects whose choices count for messages to a user. */
interface LinkedSubjects {
  user: Subject
  addresses: LinkedAddress[]
}

/** Finds the addresses of a user. It takes a connection of its own. */
export async function linkedSubjects(
  context: Pick<Context, 'secrets'> & WithRecipients,
  { tenantId, applicationId, mode }: PreferenceOwner,
  userId: string,
): Promise<LinkedSubjects> {
  const user = subjectsOf(context, tenantId, { user_id: userId })[0]!
  const id = recipientId({ tenant_id: tenantId, application_id: applicationId, mode }, user.index)
  const found = await context.directory.recipients.find(id)
  const addresses = (['email', 'phone'] as const).flatMap((field) =>
    subjectsOf(context, tenantId, { address: found?.[field] }).map((subject) => ({ ...subject, field })),
  )
  // A user id may be the address itself: then its choices are those of the user.
  return { user, addresses: addresses.filter(({ index }) => index !== user.index) }
}
