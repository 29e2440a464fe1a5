import type { Migration } from '@notify/database'

export const recipientIndex: Migration = {
  name: '0004-recipient-index',
  transaction: ['alter table deliveries add column recipient_index text'],
}
