import type { InboxChange } from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** Applications, as the gateway publishes them. */
  applications: {
    id: column.id('app'),
    tenant_id: column.id('ten'),
    revision: column.integer(),
    allowed_origins: column.texts().withDefault(),
    status: column.text<'active' | 'revoked'>(),
    /** The cell that serves the tenant, if it is another one. */
    moved_to: column.text().nullable(),
    updated_at: column.timestamp().withDefault(),
  },
  /** One row for each user of an application who ever got a notification. */
  inboxes: {
    /** Blind index of application, mode and user. */
    key: column.text(),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    /** Sequence of the latest event; it grows by one with each. */
    last_seq: column.integer(),
    /** Whatever was neither created nor marked after this event is read. */
    read_all_seq: column.integer().withDefault(),
    /** Events up to here are deleted. */
    pruned_seq: column.integer().withDefault(),
    unread_count: column.integer(),
  },
  /** The sequence after which new inboxes begin, in one row once a backup was restored; otherwise 0. */
  inbox_start: {
    one: column.boolean().withDefault(),
    seq: column.integer(),
  },
  inbox_items: {
    id: column.id('inapp'),
    tenant_id: column.id('ten'),
    /** `erased` once deleted, so that the row names no user. */
    inbox_key: column.text(),
    notification_id: column.id('notif'),
    /** Sequence of the event that created it: the order of the list. 0: never shown, because its recipient had switched it off. */
    seq: column.integer(),
    /** Sequence of the event that created or marked it last. */
    touched_seq: column.integer(),
    /** As it was marked last; reading the whole inbox does not touch it. */
    is_read: column.boolean().withDefault(),
    category_index: column.text().nullable(),
    /** Null once deleted: the row remains, so that a repeated hand-off does not bring it back. */
    content: column.bytes().nullable(),
    created_at: column.timestamp().withDefault(),
    deleted_at: column.timestamp().nullable(),
  },
  /** Notifications that arrived before the one that precedes them. Their content is encrypted as that of `inbox_items`. */
  waiting_items: {
    notification_id: column.id('notif'),
    /** The notification that is stored first. */
    after: column.id('notif'),
    id: column.id('inapp'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    inbox_key: column.text(),
    category_index: column.text().nullable(),
    /** Null: nobody can have switched it off. */
    topic: column.text().nullable(),
    content: column.bytes(),
    /** Of the hand-off; its report repeats it. */
    retry_count: column.integer(),
    traceparent: column.text().nullable(),
    arrived_at: column.timestamp().withDefault(),
  },
  inbox_events: {
    inbox_key: column.text(),
    seq: column.integer(),
    kind: column.text<'created' | InboxChange>(),
    item_id: column.id('inapp').nullable(),
    unread_count: column.integer(),
    occurred_at: column.timestamp().withDefault(),
  },
  /** The processes that hold streams. */
  stream_replicas: {
    id: column.text(),
    /** One that was not seen for a while has ended: its streams no longer count. */
    seen_at: column.timestamp().withDefault(),
  },
  /** How many streams each process holds of a user. */
  open_streams: {
    inbox_key: column.text(),
    replica_id: column.text(),
    streams: column.integer(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()
