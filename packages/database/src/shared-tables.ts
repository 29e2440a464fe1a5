import type { StreamOrigin } from '@notify/messaging'
import { column, type TablesOf } from './columns.ts'
import { createBuilder } from './query.ts'

export const letterStates = ['waiting', 'dead', 'replaying', 'replayed', 'discarded'] as const

/** The tables of the mechanisms that services share; each service has those that it uses. */
export const sharedTables = {
  outbox: {
    id: column.uuid().withDefault(),
    subject: column.text(),
    /** JSON array of wire events. */
    events: column.text(),
    created_at: column.timestamp().withDefault(),
    published_at: column.timestamp().nullable(),
    published_seq: column.bigint().nullable(),
    /** How often it was published before its stream lost it. */
    publications: column.smallint().withDefault(),
  },
  stream_watermark: {
    stream: column.text(),
    last_seq: column.bigint(),
    checked_at: column.timestamp(),
    /** Null before the first check. */
    origin: column.jsonb<StreamOrigin>().nullable(),
  },
  stream_losses: {
    stream: column.text(),
    noticed_at: column.timestamp(),
    last_seq: column.bigint(),
    published_after: column.timestamp(),
    looked_up_to: column.uuid().nullable(),
    republished: column.integer().withDefault(),
    repaired_at: column.timestamp().nullable(),
  },
  idempotency_keys: {
    scope: column.text(),
    key: column.text(),
    fingerprint: column.text(),
    status: column.smallint(),
    response: column.text(),
    expires_at: column.timestamp().withDefault(),
  },
  dead_letters: {
    id: column.uuid().withDefault(),
    durable: column.text(),
    owner: column.text().withDefault(),
    event_id: column.text(),
    subject: column.text(),
    event: column.text(),
    whole_message: column.boolean(),
    traceparent: column.text().nullable(),
    reason: column.text(),
    state: column.text<(typeof letterStates)[number]>(),
    tries: column.integer().withDefault(),
    next_try_at: column.timestamp().nullable(),
    retry_until: column.timestamp().withDefault(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** One row: fingerprints of the keys of the blind indexes, and the progress of `reindex` in each table. */
  blind_index_keys: {
    id: column.boolean().withDefault(),
    keys: column.text(),
    becoming: column.text().nullable(),
    reached: column.jsonb<Record<string, number>>().withDefault(),
  },
  /** The positions of periodic walks. */
  walks: {
    name: column.text(),
    reached: column.text(),
    next_at: column.timestamp().withDefault(),
  },
}

export const build = createBuilder<TablesOf<typeof sharedTables>>()
