import {
  EventKey,
  type EventRecord,
  type EventSummary,
  type EventVersion,
  type EventVersionSummary,
  type Id,
  type OperatorPrincipal,
} from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { StoredContent } from '../../db/event-tables.ts'
import { digestsOfAll, noTranslations } from '../translations/keep-translations.ts'
import type { EventId, EventRow, EventSummaryRow } from './event-store.ts'
import type { VersionRow, VersionSummaryRow } from './version-store.ts'

/** An event as operators see it. */
export function describeEvent(row: EventRow): EventRecord {
  return { ...described(row), ...shown(row), draft: row.draft && shown(row.draft) }
}

const shown = ({ name, allowed_channels, templates, translations, topic = null, digest = null }: StoredContent) => ({
  ...{ name, allowed_channels, templates, topic, digest },
  translations: translations ?? {},
})

/** An event as the audit log shows it. */
export function auditedEvent(row: EventRow): object {
  const { translations, draft, ...event } = describeEvent(row)
  return {
    ...event,
    translations: digestsOfAll(translations),
    draft: draft && { ...draft, translations: digestsOfAll(draft.translations) },
  }
}

/** An event in a list. */
export function summarizeEvent(row: EventSummaryRow): EventSummary {
  return { ...described(row), has_draft: row.has_draft }
}

function described(row: Omit<EventSummaryRow, 'has_draft'>) {
  const { application_id, event_key, name, status, version, allowed_channels, created_at, updated_at } = row
  return {
    application_id,
    event_key,
    name,
    status,
    version,
    allowed_channels,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

/** A version in a list. @param current number of the event's current version */
export function summarizeVersion(row: VersionSummaryRow, current: number): EventVersionSummary {
  const { version, name, allowed_channels, published_at, published_by } = row
  const is_current = version === current
  return { version, name, allowed_channels, is_current, published_at: published_at.toISOString(), published_by }
}

export function describeVersion(row: VersionRow, current: number): EventVersion {
  return {
    ...summarizeVersion(row, current),
    templates: row.templates,
    translations: row.translations ?? {},
    topic: row.topic,
    digest: row.digest,
  }
}

/** The editable content of an event or version. */
export function contentOf(row: EventRow | VersionRow): StoredContent {
  const { name, allowed_channels, templates, translations, translation_bases, topic, digest } = row
  return { name, allowed_channels, templates, translations, translation_bases, topic, digest }
}

/** An event with other content to publish. One that was never published is its own draft. */
export function withDraft(row: EventRow, content: StoredContent) {
  const { status, version } = row
  if (status === 'draft') return { ...content, status, version, draft: null }
  return { ...contentOf(row), status, version, draft: content }
}

/** What is to be published: the draft, or the content without one. Drafts of an earlier release have no translations. */
export const draftOf = (row: EventRow): StoredContent => ({ ...noTranslations, ...(row.draft ?? contentOf(row)) })

interface EventRequest {
  principal: OperatorPrincipal
  params: { application_id: Id<'app'>; event_key: string }
}

/** The event that a path names. @throws Problem `event_not_found` for a text that cannot be a key */
export function eventIdOf({ principal, params }: EventRequest): EventId {
  if (!EventKey.safeParse(params.event_key).success) throw eventMissing()
  return { tenantId: principal.tenant_id, applicationId: params.application_id, eventKey: params.event_key }
}

export function eventMissing(): Problem {
  return new Problem('event_not_found', 'The application has no event with this key')
}

export function versionMissing(): Problem {
  return new Problem('not_found', 'The event has no published version with this number')
}
