import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import type { Mode } from '../../ui/mode.ts'

export type ApiRequest = components['schemas']['ApiRequest']

export interface RequestFilters {
  application_id?: string
  outcome?: 'all' | 'refused'
  code?: string
  request_id?: string
  mode?: Mode | undefined
}

const pageSize = 50
const pollMs = 5000

/** A page of the requests of an application, polled every 5 s. */
export function useRequests(application_id: string | undefined, filters: RequestFilters, cursor: string | undefined) {
  const { application_id: _, mode, ...rest } = filters
  const query = { ...rest, ...(mode && { mode }) }
  return useQuery({
    queryKey: ['requests', application_id, query, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/requests', {
          params: {
            path: { application_id: application_id! },
            query: { ...query, limit: pageSize, ...(cursor ? { cursor } : {}) },
          },
          signal,
        }),
      ),
    enabled: application_id !== undefined,
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}
