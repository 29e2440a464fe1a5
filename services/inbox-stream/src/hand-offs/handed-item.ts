import type { Id } from '@notify/contracts'
import type { Linked } from './plan-order.ts'

/** A notification that is to stand in an inbox. */
export interface NewItem {
  id: Id<'inapp'>
  notification_id: Id<'notif'>
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  inbox_key: string
  category_index: string | null
  content: Buffer
}

/** One that dispatch has handed over: its place in the order, and what its report says. */
export interface HandedItem extends NewItem, Linked {
  notification_id: Id<'notif'>
  retry_count: number
  traceparent: string | null
}
