import type { Channel, KeyMode, Lane } from '@notify/contracts'
import { column } from '@notify/database'

export const digestTables = {
  /** Digests that are not sent yet. */
  digests: {
    id: column.id('dig'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    mode: column.text<KeyMode>(),
    channel: column.text<Channel>(),
    lane: column.text<Lane>(),
    event_key: column.text(),
    /** Blind index of all that its items have in common. */
    key: column.text(),
    opened_at: column.timestamp(),
    /** It closes then at the latest. */
    latest_at: column.timestamp(),
    /** Items that the template gets. */
    show: column.smallint(),
    /** Items that have ever joined it. */
    joined: column.integer(),
    closes_at: column.timestamp(),
    /** When it is to be closed: then, or when the lease of the worker that does it ends. */
    due_at: column.timestamp(),
    /** Whether items may still join it. */
    is_open: column.boolean().withDefault(),
  },
}
