import type { InboxChange } from '@notify/contracts'

/** The tables of this service's own schema. */
export interface Tables {
  /** What the gateway tells of applications. */
  applications: {
    id: string
    tenant_id: string
    revision: number
    allowed_origins: string[]
    status: 'active' | 'revoked'
    updated_at: Date
  }
  /** One row for each user of an application who ever got a notification. */
  inboxes: {
    /** Blind index of application, mode and user. */
    key: string
    tenant_id: string
    application_id: string
    /** Sequence of the latest event; it grows by one with each. */
    last_seq: number
    /** Whatever was neither created nor marked after this event is read. */
    read_all_seq: number
    /** Events up to here are deleted. */
    pruned_seq: number
    unread_count: number
  }
  inbox_items: {
    id: string
    tenant_id: string
    inbox_key: string
    notification_id: string
    /** Sequence of the event that created it: the order of the list. */
    seq: number
    /** Sequence of the event that created or marked it last. */
    touched_seq: number
    /** As it was marked last; reading the whole inbox does not touch it. */
    is_read: boolean
    category_index: string | null
    /** Null once deleted: the row remains, so that a repeated hand-off does not bring it back. */
    content: Buffer | null
    created_at: Date
    deleted_at: Date | null
  }
  inbox_events: {
    inbox_key: string
    seq: number
    kind: 'created' | InboxChange
    item_id: string | null
    unread_count: number
    occurred_at: Date
  }
  /** The processes that hold streams. */
  stream_replicas: {
    id: string
    /** One that was not seen for a while has ended: its streams no longer count. */
    seen_at: Date
  }
  /** How many streams each process holds of a user. */
  open_streams: {
    inbox_key: string
    replica_id: string
    streams: number
  }
}
