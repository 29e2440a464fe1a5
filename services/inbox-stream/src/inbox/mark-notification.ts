import type { markInboxNotification as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { inboxKeyOf } from './inbox-key.ts'
import { notificationOf } from './item-content.ts'
import { markItem } from './mark-item.ts'

export const markNotification: Handler<Context, typeof contract> = async (context, { principal, params, body }) => {
  const { db, secrets, live } = context
  const { tenant_id, application_id } = principal
  const inbox_key = inboxKeyOf(secrets.blindIndex, principal)
  const row = await markItem(db, inbox_key, { id: params.id, isRead: body.is_read })
  if (!row) throw noSuchNotification()
  const { id, seq, unread_count, content } = row
  if (seq !== null && unread_count !== null) {
    const kind = body.is_read ? 'read' : 'unread'
    const created_at = row.created_at.toISOString()
    live.publish([{ tenant_id, application_id, inbox_key, seq, kind, item_id: id, unread_count, content, created_at }])
  }
  return notificationOf(secrets.keyRing, tenant_id, row)
}

export function noSuchNotification(): Problem {
  return new Problem('not_found', 'The inbox has no notification with this id')
}
