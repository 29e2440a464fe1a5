import type { InboxChange } from '@notify/contracts'
import { column, type TablesOf } from '@notify/database'

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** Applications, as the gateway publishes them. */
  applications: {
    id: column<string>(),
    tenant_id: column<string>(),
    revision: column<number>(),
    allowed_origins: column<string[]>(),
    status: column<'active' | 'revoked'>(),
    updated_at: column<Date>(),
  },
  /** One row for each user of an application who ever got a notification. */
  inboxes: {
    /** Blind index of application, mode and user. */
    key: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    /** Sequence of the latest event; it grows by one with each. */
    last_seq: column<number>(),
    /** Whatever was neither created nor marked after this event is read. */
    read_all_seq: column<number>(),
    /** Events up to here are deleted. */
    pruned_seq: column<number>(),
    unread_count: column<number>(),
  },
  inbox_items: {
    id: column<string>(),
    tenant_id: column<string>(),
    inbox_key: column<string>(),
    notification_id: column<string>(),
    /** Sequence of the event that created it: the order of the list. */
    seq: column<number>(),
    /** Sequence of the event that created or marked it last. */
    touched_seq: column<number>(),
    /** As it was marked last; reading the whole inbox does not touch it. */
    is_read: column<boolean>(),
    category_index: column<string | null>(),
    /** Null once deleted: the row remains, so that a repeated hand-off does not bring it back. */
    content: column<Buffer | null>(),
    created_at: column<Date>(),
    deleted_at: column<Date | null>(),
  },
  /** Notifications that arrived before the one that precedes them. Their content is encrypted as that of `inbox_items`. */
  waiting_items: {
    notification_id: column<string>(),
    /** The notification that is stored first. */
    after: column<string>(),
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    inbox_key: column<string>(),
    category_index: column<string | null>(),
    content: column<Buffer>(),
    /** Of the hand-off; its report repeats it. */
    retry_count: column<number>(),
    traceparent: column<string | null>(),
    arrived_at: column<Date>(),
  },
  inbox_events: {
    inbox_key: column<string>(),
    seq: column<number>(),
    kind: column<'created' | InboxChange>(),
    item_id: column<string | null>(),
    unread_count: column<number>(),
    occurred_at: column<Date>(),
  },
  /** The processes that hold streams. */
  stream_replicas: {
    id: column<string>(),
    /** One that was not seen for a while has ended: its streams no longer count. */
    seen_at: column<Date>(),
  },
  /** How many streams each process holds of a user. */
  open_streams: {
    inbox_key: column<string>(),
    replica_id: column<string>(),
    streams: column<number>(),
  },
}

export type Tables = TablesOf<typeof tables>
