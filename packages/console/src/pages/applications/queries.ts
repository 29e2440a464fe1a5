import type { components } from '@notify/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import type { Mode } from '../../ui/mode.ts'

export type Application = components['schemas']['Application']
export type ApiKey = components['schemas']['ApiKey']

const pageSize = 50
const pollMs = 60_000

/** A page of the applications; with a search text, those of all pages whose names or ids contain it. */
export function useApplicationList(find: string, cursor: string | undefined) {
  return useSearchableList({
    key: ['applications', 'list'],
    find,
    textOf: ({ application_id, name }: Application) => `${application_id} ${name}`,
    cursor,
    pollMs,
    read: (query, signal) => answer(api.GET('/api/v1/applications', { params: { query }, signal })),
  })
}

export function useApplication(application_id: string) {
  return useQuery({
    queryKey: ['applications', 'one', application_id],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/applications/{application_id}', { params: { path: { application_id } }, signal })),
  })
}

export function useKeyList(application_id: string, mode: Mode | undefined, cursor: string | undefined) {
  return useQuery({
    queryKey: ['applications', 'keys', application_id, mode, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/keys', {
          params: {
            path: { application_id },
            query: { limit: pageSize, ...(mode && { mode }), ...(cursor ? { cursor } : {}) },
          },
          signal,
        }),
      ),
  })
}

export function useKey(application_id: string, key_id: string) {
  return useQuery({
    queryKey: ['applications', 'key', application_id, key_id],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/keys/{key_id}', {
          params: { path: { application_id, key_id } },
          signal,
        }),
      ),
  })
}

/** Puts an application that was read or changed into the cache. */
export function useShowApplication() {
  const client = useQueryClient()
  return (application: Application) => {
    client.setQueryData(['applications', 'one', application.application_id], application)
    void client.invalidateQueries({ queryKey: ['applications', 'list'] })
    void client.invalidateQueries({ queryKey: ['applications', 'choice'] })
    return application
  }
}

/** Puts a key that was read or changed into the cache. */
export function useShowKey() {
  const client = useQueryClient()
  return (key: ApiKey) => {
    client.setQueryData(['applications', 'key', key.application_id, key.key_id], key)
    void client.invalidateQueries({ queryKey: ['applications', 'keys', key.application_id] })
    return key
  }
}

/** After a change of an application or of its keys. */
export function useRefreshApplications() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['applications'] })
}
