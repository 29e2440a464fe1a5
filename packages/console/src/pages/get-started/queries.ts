import { Problem } from '@notify/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { type Permission, useMay } from '../../api/me.ts'
import { firstEvent } from './first-request.ts'

/** What the tenant has of what a first message needs. */
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
    return items
  })
  const event = useFirst(`event ${application_id}`, 'events:manage', () => readEvent(application_id))
  const first = [application, key, providers, event].find(({ error }) => error)
  return {
    application: application.data ?? null,
    key: key.data ?? null,
    providers: providers.data ?? [],
    isEventPublished: event.data?.status === 'published',
    isLoading: [application, key, providers, event].some(({ isLoading }) => isLoading),
    error: first?.error ?? null,
    retry: () => void first?.refetch(),
  }
}

function useFirst<Value>(name: string, permission: Permission, read: () => Promise<Value>) {
  const may = useMay()
  return useQuery({ queryKey: ['get-started', name], queryFn: read, enabled: may(permission) })
}

async function readEvent(application_id: string) {
  if (!application_id) return null
  const path = { application_id, event_key: firstEvent.event_key }
  try {
    return await answer(api.GET('/api/v1/applications/{application_id}/events/{event_key}', { params: { path } }))
  } catch (error) {
    if (error instanceof Problem && error.code === 'event_not_found') return null
    throw error
  }
}

/** After a step was taken. */
export function useRefreshProgress() {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: ['get-started'] })
    void client.invalidateQueries({ queryKey: ['applications'] })
  }
}
