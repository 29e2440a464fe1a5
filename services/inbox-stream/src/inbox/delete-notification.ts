import type { deleteInboxNotification as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { deleteItem } from './delete-item.ts'
import { inboxKeyOf } from './inbox-key.ts'
import { noSuchNotification } from './mark-notification.ts'

export const deleteNotification: Handler<Context, typeof contract> = async (context, { principal, params: { id } }) => {
  const { db, secrets, live } = context
  const { tenant_id, application_id } = principal
  const inbox_key = inboxKeyOf(secrets.blindIndex, principal)
  const deleted = await deleteItem(db, inbox_key, id)
  if (!deleted) throw noSuchNotification()
  const nothing = { content: null, created_at: null }
  live.publish([{ tenant_id, application_id, inbox_key, ...deleted, kind: 'deleted', item_id: id, ...nothing }])
  return undefined
}
