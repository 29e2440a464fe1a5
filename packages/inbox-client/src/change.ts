import type { Contents, InboxNotification } from './state.ts'
import type { ChangeEvent } from './stream-event.ts'

/** A change that the user asked for. */
export type Change =
  | { readonly kind: 'mark'; readonly id: string; readonly isRead: boolean }
  /** `ids` are those that were shown: what arrives later stays unread. */
  | { readonly kind: 'read-all'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'delete'; readonly id: string }

/** The contents as they will be when the server has made the change; applying a change twice changes nothing. */
export function applyChange(contents: Contents, change: Change): Contents {
  const { notifications } = contents
  if (change.kind === 'read-all') return readAll(contents, change.ids)
  const target = notifications.find(({ id }) => id === change.id)
  if (!target) return contents
  const remains = change.kind === 'mark' ? { ...target, is_read: change.isRead } : undefined
  const unread = unreadOf(remains) - unreadOf(target)
  return {
    ...contents,
    notifications: notifications.flatMap((each) => (each !== target ? [each] : remains ? [remains] : [])),
    unreadCount: Math.max(0, contents.unreadCount + unread),
  }
}

/** Whether an event reports the outcome of a change's target. */
export function concerns({ data }: ChangeEvent, change: Change): boolean {
  const target = 'notification_id' in data ? data.notification_id : undefined
  return target === null || ('id' in change && change.id === target)
}

function readAll(contents: Contents, ids: ReadonlySet<string>): Contents {
  const notifications = contents.notifications.map((each) => (ids.has(each.id) ? { ...each, is_read: true } : each))
  return { ...contents, notifications, unreadCount: notifications.filter(({ is_read }) => !is_read).length }
}

const unreadOf = (notification: InboxNotification | undefined) => (notification && !notification.is_read ? 1 : 0)
