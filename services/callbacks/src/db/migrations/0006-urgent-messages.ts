import type { Migration } from '@notify/database'

export const urgentMessages: Migration = {
  name: '0006-urgent-messages',
  index: {
    name: 'outbox_urgent',
    on: `on outbox (id) where published_at is null and subject in ('callbacks.message.received', 'callbacks.preference.changed')`,
  },
}
