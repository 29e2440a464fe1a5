import type {
  Channel,
  Digest,
  EventStatus,
  EventTemplates,
  EventTranslations,
  TranslationBases,
} from '@notify/contracts'
import { column } from '@notify/database'

/** Translations as they are stored; null for none. */
export interface KeptTranslations {
  translations: EventTranslations | null
  /** What each was made from. */
  translation_bases: TranslationBases | null
}

/** The editable content of an event or version. */
export interface StoredContent extends KeptTranslations {
  name: string
  allowed_channels: Channel[]
  templates: EventTemplates
  topic: string | null
  digest: Digest | null
}

export const eventTables = {
  events: {
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    event_key: column.text(),
    name: column.text(),
    status: column.text<EventStatus>(),
    version: column.integer(),
    allowed_channels: column.texts<Channel>(),
    templates: column.jsonb<EventTemplates>(),
    translations: column.jsonb<EventTranslations>().nullable(),
    translation_bases: column.jsonb<TranslationBases>().nullable(),
    topic: column.text().nullable(),
    digest: column.jsonb<Digest>().nullable(),
    /** Changes since the current version, not published yet. */
    draft: column.jsonb<StoredContent>().nullable(),
    /** The operator who changed it last; null: the bootstrap document, which then may change it again. */
    updated_by: column.text().nullable(),
    created_at: column.timestamp().withDefault().withDefault(),
    updated_at: column.timestamp().withDefault(),
  },
  /** What was published. Rows never change, except those of the bootstrap document. */
  event_versions: {
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    event_key: column.text(),
    version: column.integer(),
    name: column.text(),
    allowed_channels: column.texts<Channel>(),
    templates: column.jsonb<EventTemplates>(),
    translations: column.jsonb<EventTranslations>().nullable(),
    translation_bases: column.jsonb<TranslationBases>().nullable(),
    topic: column.text().nullable(),
    digest: column.jsonb<Digest>().nullable(),
    published_by: column.text().nullable(),
    published_at: column.timestamp().withDefault(),
  },
}
