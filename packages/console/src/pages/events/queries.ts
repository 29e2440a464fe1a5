import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { withKeyOf, withNewKey } from '../../api/unanswered-writes.ts'
import { isConflict } from '../../edits/is-conflict.ts'
import { basisOf, type Coverage, type Translations } from '../../templates/translations.ts'
import type { Previewer } from '../../templates/use-preview.ts'

export type EventRecord = components['schemas']['Event']
export type PublishedEvent = components['schemas']['PublishedEvent']
export type EventSummary = components['schemas']['EventSummary']
export type EventVersion = components['schemas']['EventVersion']
export type EventVersionSummary = components['schemas']['EventVersionSummary']
export type EventStatus = EventRecord['status']
/** The editable content of an event, which each version keeps. */
export type EventContent = Pick<EventRecord, 'name' | 'allowed_channels' | 'templates' | 'topic' | 'digest'> & {
  translations?: Translations
}

/** An event, by its application and key. */
export interface EventId {
  applicationId: string
  eventKey: string
}

const pollMs = 30_000
const pathOf = ({ applicationId, eventKey }: EventId) => ({
  path: { application_id: applicationId, event_key: eventKey },
})

export interface EventFilters {
  /** A part of the key or of the name. */
  find?: string
  status?: EventStatus
}

export function useEvents(applicationId: string, { find = '', status }: EventFilters, cursor: string | undefined) {
  return useSearchableList({
    key: ['events', applicationId, 'list', status],
    find,
    textOf: ({ event_key, name }: EventSummary) => `${event_key} ${name}`,
    cursor,
    pollMs,
    read: (page, signal) => {
      const params = { path: { application_id: applicationId }, query: { ...page, ...(status ? { status } : {}) } }
      return answer(api.GET('/api/v1/applications/{application_id}/events', { params, signal }))
    },
  })
}

const oneKey = ({ applicationId, eventKey }: EventId) => ['events', applicationId, 'one', eventKey]

export function useEvent(id: EventId) {
  return useQuery({
    queryKey: oneKey(id),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/applications/{application_id}/events/{event_key}', { params: pathOf(id), signal })),
  })
}

/** Reads an event again, and updates the page that shows it. */
export function useReadEvent(id: EventId) {
  const client = useQueryClient()
  return async () => {
    const record = await answer(
      api.GET('/api/v1/applications/{application_id}/events/{event_key}', { params: pathOf(id) }),
    )
    client.setQueryData(oneKey(id), record)
    return record
  }
}

/** Previews unsaved templates of an event at the service. */
export const previewerOf = (id: EventId): Previewer => ({
  name: `event:${id.applicationId}/${id.eventKey}`,
  preview: (body, signal) =>
    answer(
      api.POST('/api/v1/applications/{application_id}/events/{event_key}/preview', {
        params: pathOf(id),
        body,
        headers: withNewKey(),
        signal,
      }),
    ),
})

const coverageKey = (id: EventId, { updated_at }: Pick<EventRecord, 'updated_at'>) => [
  ...['event-translations', id, updated_at],
]

/** How far the stored translations of an event have got. */
export function useCoverage(id: EventId, { updated_at, translations, draft }: EventRecord) {
  const { data } = useQuery({
    queryKey: coverageKey(id, { updated_at }),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/events/{event_key}/translations', {
          params: pathOf(id),
          signal,
        }),
      ),
    enabled: Object.keys((draft ?? { translations }).translations).length > 0,
    placeholderData: (previous) => previous,
  })
  return data?.translations ?? none
}

/** Marks a translation as made from the present original: saves its texts as they are, based on that, in the draft. */
export function useConfirmTranslation(id: EventId, event: EventRecord) {
  const client = useQueryClient()
  return async (locale: string) => {
    const params = { path: { ...pathOf(id).path, locale } }
    const path = '/api/v1/applications/{application_id}/events/{event_key}/translations/{locale}'
    const { texts } = await answer(api.GET(path, { params }))
    await answer(api.PUT(path, { params, body: { texts, ...basisOf(client, coverageKey(id, event)) } }))
    await client.invalidateQueries({ queryKey: ['events', id.applicationId] })
  }
}

const none: Coverage = []

export function useVersions(id: EventId, cursor: string | undefined) {
  return useQuery({
    queryKey: ['events', id.applicationId, 'versions', id.eventKey, cursor],
    queryFn: ({ signal }) => {
      const params = { ...pathOf(id), query: { limit: 50, ...(cursor ? { cursor } : {}) } }
      return answer(api.GET('/api/v1/applications/{application_id}/events/{event_key}/versions', { params, signal }))
    },
    placeholderData: (previous) => previous,
  })
}

/** A published version. It never changes. */
export function useVersion({ applicationId, eventKey }: EventId, version: string) {
  return useQuery({
    queryKey: ['event-version', applicationId, eventKey, version],
    queryFn: ({ signal }) => {
      const params = { path: { application_id: applicationId, event_key: eventKey, version } }
      return answer(
        api.GET('/api/v1/applications/{application_id}/events/{event_key}/versions/{version}', { params, signal }),
      )
    },
  })
}

export function useCreateEvent(applicationId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { event_key: string; name: string }) => {
      const params = { path: { application_id: applicationId } }
      return answer(api.POST('/api/v1/applications/{application_id}/events', { params, body }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['events', applicationId] }),
  })
}

/** The changes of an event. The answer is shown at once. */
export function useEventActions(id: EventId) {
  const client = useQueryClient()
  const key = ['events', id.applicationId]
  const params = pathOf(id)
  const onSuccess = (record: EventRecord) => {
    client.setQueryData(oneKey(id), record)
    return client.invalidateQueries({ queryKey: key })
  }
  const save = useMutation({
    mutationFn: ({ content, expected_updated_at }: { content: EventContent; expected_updated_at: string }) =>
      answer(
        api.PUT('/api/v1/applications/{application_id}/events/{event_key}', {
          params: { ...params, query: { expected_updated_at } },
          body: content,
        }),
      ),
    onSuccess,
  })
  const publish = useMutation({
    mutationFn: (expected_updated_at: string) =>
      answer(
        api.POST('/api/v1/applications/{application_id}/events/{event_key}/publish', {
          params: { ...params, query: { expected_updated_at } },
        }),
      ),
    onSuccess,
    // Shows the changes of others, so that the operator reviews them before publishing.
    onError: () => client.invalidateQueries({ queryKey: oneKey(id) }),
  })
  const deactivate = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/applications/{application_id}/events/{event_key}/deactivate', {
          params,
          headers: withNewKey(),
        }),
      ),
    onSuccess,
  })
  const restore = useMutation({
    mutationFn: ({ version, over }: { version: number; over: EventRecord }) =>
      answer(
        api.POST('/api/v1/applications/{application_id}/events/{event_key}/versions/{version}/restore', {
          params: {
            path: { ...params.path, version: String(version) },
            query: { expected_updated_at: over.updated_at },
          },
          headers: withKeyOf(`over-${over.updated_at}`),
        }),
      ),
    onSuccess,
    // Shows the version of others. After a lost answer nothing is read, so the next click repeats the same request.
    onError: (error) => (isConflict(error) ? client.invalidateQueries({ queryKey: key }) : undefined),
  })
  return { save, publish, deactivate, restore }
}
