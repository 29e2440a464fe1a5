import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

export type Usage = components['schemas']['Usage']
export type UsageItem = components['schemas']['UsageItem']

/** The filters in the address. The service reports invalid ones. */
export interface UsageFilters {
  from?: string
  to?: string
  interval?: 'day' | 'month'
  application_id?: string
  channel?: UsageItem['channel']
}

const pageSize = 100

export function useUsage(filters: UsageFilters, cursor: string | undefined) {
  return useQuery({
    queryKey: ['usage', filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/usage', {
          params: { query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    placeholderData: (previous) => previous,
  })
}
