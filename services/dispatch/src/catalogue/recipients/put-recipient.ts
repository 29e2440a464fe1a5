import type { putRecipient as contract } from '@notify/contracts'
import { fieldProblem, type Handler, readEmailAddress } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeRecipient, rowOf } from './describe-recipient.ts'
import { sealRecipient } from './recipient-content.ts'
import { saveRecipient } from './recipient-store.ts'

/** Creates a user or replaces it as a whole; sends that are accepted from now on use it. */
export const putRecipient: Handler<Context, typeof contract> = async (context, request) => {
  const { db, secrets } = context
  const { body, params, principal } = request
  const { tenant_id, application_id, mode } = principal
  const { id, userIndex } = rowOf(context, request)
  const content = { user_id: params.user_id, ...body, ...(body.email !== undefined && { email: emailOf(body.email) }) }
  const indexOf = (address: string | undefined) =>
    address === undefined ? null : secrets.blindIndex(tenant_id, address)
  const row = await saveRecipient(db.run, {
    ...{ id, tenant_id, application_id, mode, user_index: userIndex },
    email_index: indexOf(content.email),
    phone_index: indexOf(content.phone),
    content: sealRecipient(secrets.keyRing, content, tenant_id, id),
    has_quiet_hours: body.quiet_hours !== undefined,
  })
  return describeRecipient(context, row)
}

/** The address as a send would read it. @throws Problem `validation_failed` */
function emailOf(text: string): string {
  const { address, fault } = readEmailAddress(text)
  if (fault !== undefined) throw fieldProblem('validation_failed', 'email', fault)
  return address
}
