import type { getUnreadCount as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { inboxKeyOf } from './inbox-key.ts'
import { readUnreadCount } from './read-unread-count.ts'

export const getUnreadCount: Handler<Context, typeof contract> = async ({ db, secrets }, { principal }) => ({
  unread_count: await readUnreadCount(db, inboxKeyOf(secrets.blindIndex, principal)),
})
