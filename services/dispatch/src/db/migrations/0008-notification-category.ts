import type { Migration } from '@notify/database'

export const notificationCategory: Migration = {
  name: '0008-notification-category',
  transaction: ['alter table notifications add column category text'],
}
