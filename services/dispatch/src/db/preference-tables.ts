import type {
  Channel,
  Frequency,
  PreferenceSource,
  PreferenceState,
  TopicKind,
  TopicTranslations,
} from '@notify/contracts'
import { column } from '@notify/database'

const scope = {
  tenant_id: column.id('ten'),
  application_id: column.id('app'),
  mode: column.text<'live' | 'test'>(),
  /** Blind index of a user id or an address. */
  recipient_index: column.text(),
  /** A topic_key, or `*`. */
  topic: column.text(),
  channel: column.text<Channel | '*'>(),
}

export const preferenceTables = {
  topics: {
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    topic_key: column.text(),
    name: column.text(),
    description: column.text(),
    kind: column.text<TopicKind>(),
    channels: column.texts<Channel>(),
    position: column.integer(),
    translations: column.jsonb<TopicTranslations>(),
    /** The operator; null while the bootstrap document decides. */
    updated_by: column.text().nullable(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  preferences: {
    ...scope,
    state: column.text<PreferenceState>(),
    /** Window of digests; null: as the event says. */
    frequency: column.text<Frequency>().nullable(),
    source: column.text<PreferenceSource>(),
    changed_at: column.timestamp(),
  },
  /** The evidence: each change of a choice. Rows are never changed; those of an erased person lose the index. */
  preference_changes: {
    id: column.id('pref'),
    ...scope,
    before: column.text<PreferenceState>().nullable(),
    /** Null: the choice was removed. */
    after: column.text<PreferenceState>().nullable(),
    frequency_before: column.text<Frequency>().nullable(),
    frequency_after: column.text<Frequency>().nullable(),
    source: column.text<PreferenceSource>(),
    /** The key or the operator; null for the person. */
    actor: column.text().nullable(),
    changed_at: column.timestamp(),
  },
}
