import type { Migration } from '@notify/database'

export const expiring: Migration = {
  name: '0003-expiring',
  index: {
    name: 'notifications_expiring',
    on: 'on notifications (expires_at) where expires_at is not null and payload is not null',
  },
}
