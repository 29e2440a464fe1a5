import type { Migration } from '@notify/database'

/** Replaced by those of `in_flight`. Room for every row's next version keeps its updates in its page, off the other indexes. */
export const notificationsOldIndexes: Migration = {
  name: '0016-notifications-old-indexes',
  transaction: [
    'drop index notifications_queued',
    'drop index notifications_in_flight',
    'drop index notifications_due',
    'drop index notifications_expiring',
    'alter table notifications set (fillfactor = 55)',
  ],
}
