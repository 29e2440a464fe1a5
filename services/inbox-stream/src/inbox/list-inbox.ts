import type { listInbox as contract } from '@notify/contracts'
import { page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { categoryIndexOf, inboxKeyOf } from './inbox-key.ts'
import { notificationOf } from './item-content.ts'
import { type ListedItem, listItems } from './list-items.ts'

const bySequence = {
  position: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  of: ({ seq }: ListedItem) => seq,
}

export const listInbox: Handler<Context, typeof contract> = async ({ db, log, secrets }, request) => {
  const { keyRing, blindIndex } = secrets
  const { tenant_id } = request.principal
  const { unread_only: unreadOnly, category } = request.query
  const inboxKey = inboxKeyOf(blindIndex, request.principal)
  const categoryIndex = category === undefined ? undefined : categoryIndexOf(blindIndex, tenant_id, category)
  let unread_count = 0
  const { items, next_cursor } = await page(request, bySequence, async (after, limit) => {
    const {
      items: rows,
      unreadCount,
      isCut,
    } = await listItems(db, { inboxKey, unreadOnly, categoryIndex, after, limit })
    unread_count = unreadCount
    return { rows, isCut }
  })
  const notifications = items.flatMap((row) => {
    try {
      return [notificationOf(keyRing, tenant_id, row)]
    } catch (error) {
      log.error({ err: error, item_id: row.id }, 'a notification cannot be decrypted; the list leaves it out')
      return []
    }
  })
  return { unread_count, notifications, next_cursor }
}
