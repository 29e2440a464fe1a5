import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { useAction } from '../../ui/use-action.ts'
import type { Filters } from './filters.tsx'

export type RetryJob = components['schemas']['RetryJob']

const progressMs = 1000
const idleMs = 15_000
const key = ['activity', 'retry-jobs']

export const isUnfinished = ({ status }: RetryJob): boolean => status === 'waiting' || status === 'running'

/** The latest retry jobs of the tenant. */
export function useRetryJobs() {
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await answer(api.GET('/api/v1/activity/retries', { params: { query: { limit: 100 } }, signal }))).items,
    refetchInterval: ({ state }) => pollEvery(state.data?.some(isUnfinished) ? progressMs : idleMs)(),
  })
}

/** The number of items that a job with these filters would retry. */
export function useRetryCount(filters: Filters, enabled: boolean) {
  return useQuery({
    queryKey: ['activity', 'retry-count', filters],
    queryFn: async ({ signal }) => {
      const counted = await answer(
        api.POST('/api/v1/activity/retries', {
          body: { ...filters, dry_run: true },
          headers: withNewKey(),
          signal,
        }),
      )
      return counted as components['schemas']['RetryJobCount']
    },
    enabled,
    // Not cached: the operator confirms the current count.
    gcTime: 0,
  })
}

export function useRetryJobActions() {
  const client = useQueryClient()
  const start = useMutation({
    mutationFn: (filters: Filters) =>
      answer(api.POST('/api/v1/activity/retries', { body: { ...filters, dry_run: false } })),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
  const cancel = useAction({
    mutationFn: (retry_id: string) =>
      answer(api.POST('/api/v1/activity/retries/jobs/{retry_id}/cancel', { params: { path: { retry_id } } })),
    failure: 'Not cancelled',
    refreshes: key,
  })
  return { start, cancel }
}
