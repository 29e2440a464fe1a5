import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { type Permission, useHasPermission } from '../../api/me.ts'
import { readAll } from '../../api/read-all.ts'
import { channelPages } from '../../channels/table.ts'
import { firstEvent } from './first-request.ts'

/** Events that are read: an application with more has sent its first message. */
const mostEvents = 1000

/** The tenant's resources that a first message needs. */
export function useProgress() {
  const application = useFirst('application', 'applications:manage', async () => {
    const { items } = await answer(api.GET('/api/v1/applications', { params: { query: { limit: 1 } } }))
    return items[0] ?? null
  })
  const application_id = application.data?.application_id ?? ''
  const key = useFirst(`key ${application_id}`, 'applications:manage', async () => {
    if (!application_id) return null
    const { items } = await answer(
      api.GET('/api/v1/applications/{application_id}/keys', {
        params: { path: { application_id }, query: { limit: 100 } },
      }),
    )
    return (
      items.find(({ status, permissions }) => status === 'active' && permissions.includes('notifications:send')) ?? null
    )
  })
  const providers = useFirst('providers', 'providers:manage', async () => {
    const { items } = await answer(api.GET('/api/v1/providers', { params: { query: { limit: 100 } } }))
    // Providers of other channels are not accounts at a carrier; they sign requests.
    return items.filter(({ channel }) => channelPages[channel].hasCarrier)
  })
  const event = useFirst(`event ${application_id}`, 'events:manage', () => findEvent(application_id))
  const first = [application, key, providers, event].find(({ error }) => error)
  return {
    application: application.data ?? null,
    key: key.data ?? null,
    providers: providers.data ?? [],
    event: event.data ?? null,
    isLoading: [application, key, providers, event].some(({ isLoading }) => isLoading),
    error: first?.error ?? null,
    retry: () => void first?.refetch(),
  }
}

function useFirst<Value>(name: string, permission: Permission, read: () => Promise<Value>) {
  const may = useHasPermission()
  return useQuery({ queryKey: ['get-started', name], queryFn: read, enabled: may(permission) })
}

/** A published event to send: that of the first steps, or else the first one. Looked up in the list, as a missing one is no error. */
async function findEvent(application_id: string) {
  if (!application_id) return null
  const { items } = await readAll(mostEvents, (cursor) => {
    const query = { status: 'published' as const, limit: 100, ...cursor }
    return answer(
      api.GET('/api/v1/applications/{application_id}/events', { params: { path: { application_id }, query } }),
    )
  })
  const found = items.find(({ event_key }) => event_key === firstEvent.event_key) ?? items[0]
  if (!found) return null
  const path = { application_id, event_key: found.event_key }
  return answer(api.GET('/api/v1/applications/{application_id}/events/{event_key}', { params: { path } }))
}

/** Refreshes the steps after one was done. */
export function useRefreshProgress() {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: ['get-started'] })
    void client.invalidateQueries({ queryKey: ['applications'] })
  }
}
