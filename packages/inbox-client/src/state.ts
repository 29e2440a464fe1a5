/** A notification as `GET /api/v1/inbox` returns it. */
export interface InboxNotification {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly is_read: boolean
  /** ISO 8601, in UTC. */
  readonly created_at: string
  /** Language of the text; null or absent where it is not known. */
  readonly locale?: string | null
  /** Display data as the application sent it, for example `action_url`, `avatar_url` and `category`. */
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * `idle`: nobody subscribes. `connecting`: nothing is loaded yet. `live`: changes arrive as they happen. `reconnecting`:
 * what is shown may be out of date. `denied`: the token was refused twice, or is another user's, or the client cannot run
 * here; `reload` tries again.
 */
export type InboxStatus = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'denied'

/** A snapshot; each change makes a new object. */
export interface InboxState {
  /** Newest first, as far as loaded. */
  readonly notifications: readonly InboxNotification[]
  /** Of the whole inbox, not only of what is loaded. */
  readonly unreadCount: number
  readonly status: InboxStatus
  /** Whether `notifications` was loaded once. Only then, and without `hasMore`, an empty list is an empty inbox. */
  readonly isLoaded: boolean
  /** Whether `loadMore` would load older notifications. */
  readonly hasMore: boolean
}

/** What the server has sent, without changes that it has not confirmed. */
export interface Contents {
  readonly notifications: readonly InboxNotification[]
  readonly unreadCount: number
  readonly nextCursor: string | null
  /** Id of the last event that is contained; undefined until the inbox is loaded. */
  readonly seq: number | undefined
}

export const nothing: Contents = { notifications: [], unreadCount: 0, nextCursor: null, seq: undefined }
