import type { readWholeInbox as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { inboxKeyOf } from './inbox-key.ts'
import { readAllItems } from './read-all-items.ts'

export const readInbox: Handler<Context, typeof contract> = async ({ db, secrets, live }, { principal }) => {
  const { tenant_id, application_id } = principal
  const inbox_key = inboxKeyOf(secrets.blindIndex, principal)
  const seq = await readAllItems(db, inbox_key)
  const unread_count = 0
  if (seq !== undefined) {
    const nothing = { item_id: null, content: null, created_at: null }
    live.publish([{ tenant_id, application_id, inbox_key, seq, kind: 'read_all', unread_count, ...nothing }])
  }
  return { unread_count }
}
