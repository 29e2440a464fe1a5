import type { Migration } from '@notify/database'

export const notificationCategory: Migration = {
  name: '0005-notification-category',
  transaction: ['alter table notifications add column category text'],
}
