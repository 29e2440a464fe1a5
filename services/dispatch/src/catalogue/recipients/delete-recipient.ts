import type { deleteRecipient as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { rowOf, userMissing } from './describe-recipient.ts'
import { removeRecipient } from './recipient-store.ts'

export const deleteRecipient: Handler<Context, typeof contract> = async (context, request) => {
  if (!(await removeRecipient(context.db.run, rowOf(context, request).id))) throw userMissing()
}
