import type { Migration } from '@notify/database'

/**
 * In place of the indexes over the state, for replicas of the previous release: a summary of pages, which keeps no update from
 * staying in its page.
 */
export const notificationsStates: Migration = {
  name: '0015-notifications-states',
  index: { name: 'notifications_states', on: 'on notifications using brin (next_attempt_at, enqueued_at, status)' },
}
