/** The words of the inbox. */
export interface InboxLabels {
  readonly title: string
  /** Name of the bell. */
  readonly bell: (unreadCount: number) => string
  readonly markAllRead: string
  readonly markRead: string
  readonly markUnread: string
  readonly remove: string
  readonly unread: string
  readonly loadMore: string
  readonly loading: string
  readonly empty: string
  readonly reconnecting: string
  readonly denied: string
  readonly retry: string
  /** Something that the user asked for failed. */
  readonly failed: string
  /** Read out when a notification arrives. */
  readonly arrived: (title: string) => string
}

export const englishLabels: InboxLabels = {
  title: 'Notifications',
  bell: (unreadCount) => (unreadCount === 0 ? 'Notifications' : `Notifications, ${unreadCount} unread`),
  markAllRead: 'Mark all as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  remove: 'Delete',
  unread: 'Unread',
  loadMore: 'Load older',
  loading: 'Loading…',
  empty: 'You have no notifications.',
  reconnecting: 'Connection lost. Reconnecting…',
  denied: 'Your notifications cannot be loaded.',
  retry: 'Try again',
  failed: 'That did not work. Please try again.',
  arrived: (title) => `New notification: ${title}`,
}
