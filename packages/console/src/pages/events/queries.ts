import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'

export type EventRecord = components['schemas']['Event']
export type EventSummary = components['schemas']['EventSummary']
export type EventVersion = components['schemas']['EventVersion']
export type EventVersionSummary = components['schemas']['EventVersionSummary']
export type EventStatus = EventRecord['status']
/** What an operator writes of an event, and what a version keeps. */
export type EventContent = Pick<EventRecord, 'name' | 'allowed_channels' | 'templates'>
export type Templates = EventRecord['templates']

/** An event, by its application and key. */
export interface EventId {
  applicationId: string
  eventKey: string
}

const pollMs = 30_000
const pathOf = ({ applicationId, eventKey }: EventId) => ({
  path: { application_id: applicationId, event_key: eventKey },
})

export function useEvents(applicationId: string, status: EventStatus | undefined, cursor: string | undefined) {
  return useQuery({
    queryKey: ['events', applicationId, 'list', status, cursor],
    queryFn: ({ signal }) => {
      const query = { limit: 50, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) }
      const params = { path: { application_id: applicationId }, query }
      return answer(api.GET('/api/v1/applications/{application_id}/events', { params, signal }))
    },
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

export function useEvent(id: EventId) {
  return useQuery({
    queryKey: ['events', id.applicationId, 'one', id.eventKey],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/applications/{application_id}/events/{event_key}', { params: pathOf(id), signal })),
  })
}

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

/** Changes of an event. What the service answers is shown at once. */
export function useEventActions(id: EventId) {
  const client = useQueryClient()
  const key = ['events', id.applicationId]
  const params = pathOf(id)
  const onSuccess = (record: EventRecord) => {
    client.setQueryData([...key, 'one', id.eventKey], record)
    return client.invalidateQueries({ queryKey: key })
  }
  const save = useMutation({
    mutationFn: (body: EventContent) =>
      answer(api.PUT('/api/v1/applications/{application_id}/events/{event_key}', { params, body })),
    onSuccess,
  })
  const publish = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/applications/{application_id}/events/{event_key}/publish', { params })),
    onSuccess,
  })
  const deactivate = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/applications/{application_id}/events/{event_key}/deactivate', { params })),
    onSuccess,
  })
  const restore = useMutation({
    mutationFn: (version: number) =>
      answer(
        api.POST('/api/v1/applications/{application_id}/events/{event_key}/versions/{version}/restore', {
          params: { path: { ...params.path, version: String(version) } },
        }),
      ),
    onSuccess,
  })
  return { save, publish, deactivate, restore }
}
