import type { Contents, InboxNotification } from './state.ts'

interface Ready {
  readonly event: 'connection.ready'
  readonly data: { readonly recovered: boolean; readonly head_id: number; readonly unread_count: number }
}

interface Created {
  readonly event: 'notification.created'
  readonly id: number
  readonly data: { readonly notification: InboxNotification; readonly unread_count: number }
}

interface Updated {
  readonly event: 'notification.updated'
  readonly id: number
  readonly data: {
    readonly change: 'read' | 'unread' | 'read_all' | 'deleted'
    readonly notification_id: string | null
    readonly notification: InboxNotification | null
    readonly unread_count: number
  }
}

/** An event that changes the inbox; ids of one user grow by one. */
export type ChangeEvent = Created | Updated

export type StreamEvent =
  | Ready
  | ChangeEvent
  | { readonly event: 'heartbeat' }
  | { readonly event: 'preferences.changed' }

/** The contents after an event. An event that is contained already must not be applied again. */
export function applyEvent(contents: Contents, event: ChangeEvent): Contents {
  const { notifications } = contents
  return {
    ...contents,
    seq: event.id,
    unreadCount: event.data.unread_count,
    notifications: event.event === 'notification.created' ? insert(notifications, event) : update(notifications, event),
  }
}

function insert(list: readonly InboxNotification[], { data: { notification } }: Created) {
  return list.some(({ id }) => id === notification.id) ? replace(list, notification) : [notification, ...list]
}

function update(list: readonly InboxNotification[], { data }: Updated): readonly InboxNotification[] {
  const { change, notification_id, notification } = data
  if (change === 'read_all') return list.map((each) => ({ ...each, is_read: true }))
  return notification ? replace(list, notification) : list.filter(({ id }) => id !== notification_id)
}

function replace(list: readonly InboxNotification[], notification: InboxNotification) {
  return list.map((each) => (each.id === notification.id ? notification : each))
}
