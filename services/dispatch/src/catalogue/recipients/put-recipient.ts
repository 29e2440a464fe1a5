import type { putRecipient as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
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
  const indexOf = (address: string | undefined) =>
    address === undefined ? null : secrets.blindIndex(tenant_id, address)
  const row = await saveRecipient(db.run, {
    ...{ id, tenant_id, application_id, mode, user_index: userIndex },
    email_index: indexOf(body.email),
    phone_index: indexOf(body.phone),
    content: sealRecipient(secrets.keyRing, { user_id: params.user_id, ...body }, tenant_id, id),
    has_quiet_hours: body.quiet_hours !== undefined,
  })
  return describeRecipient(context, row)
}
