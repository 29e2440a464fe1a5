import type { getRecipient as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeRecipient, rowOf, userMissing } from './describe-recipient.ts'
import { findRecipients } from './recipient-store.ts'

export const getRecipient: Handler<Context, typeof contract> = async (context, request) => {
  const [row] = await findRecipients(context.db.run, [rowOf(context, request).id])
  if (!row) throw userMissing()
  return describeRecipient(context, row)
}
