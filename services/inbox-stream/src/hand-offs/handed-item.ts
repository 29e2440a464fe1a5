import type { Id } from '@notify/contracts'
import type { Linked } from './plan-order.ts'

/** A notification to be stored in an inbox. */
export interface NewItem {
  id: Id<'inapp'>
  notification_id: Id<'notif'>
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  inbox_key: string
  category_index: string | null
  content: Buffer
}

/** A notification that dispatch has handed off: its position in the order, and the content of its report. */
export interface HandedItem extends NewItem, Linked {
  notification_id: Id<'notif'>
  /** Null: nobody can have switched it off. */
  topic: string | null
  retry_count: number
  traceparent: string | null
}
