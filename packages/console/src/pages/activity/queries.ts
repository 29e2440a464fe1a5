import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { Filters } from './filters.tsx'
import { markRetried, type Retried, useShown } from './retried-items.ts'
import { type ActivityDetail, type ActivityList, mayChange } from './words.ts'

const pollMs = 5000
const pageSize = 100

/** A page of the list, polled every 5 s, except while a row is open or the tab is hidden. */
export function useActivity(filters: Filters, cursor: string | undefined, paused: boolean) {
  const shown = useShown()
  return useQuery({
    queryKey: ['activity', 'list', filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/activity', {
          params: { query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: paused ? false : pollEvery(pollMs),
    select: useCallback((list: ActivityList) => ({ ...list, items: list.items.map(shown) }), [shown]),
    // After a change of filters the old rows stay until the new ones arrive.
    placeholderData: (previous) => previous,
  })
}

/** An item with its attempts, polled until its state is final. */
export function useActivityItem(id: string) {
  const shown = useShown()
  return useQuery({
    queryKey: ['activity', 'item', id],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/activity/{id}', { params: { path: { id } }, signal })),
    select: shown<ActivityDetail>,
    refetchInterval: ({ state }) => (state.data && mayChange(shown(state.data)) ? pollEvery(pollMs)() : false),
  })
}

/** All items that match the filters, as CSV. */
export const exportActivity = (filters: Filters): Promise<Blob> =>
  answer(api.GET('/api/v1/activity/export', { params: { query: { ...filters, format: 'csv' } }, parseAs: 'blob' }))

/** Retries a failed item. It shows as queued at once, and in its former state if the service refuses. */
export function useRetry() {
  const client = useQueryClient()
  return useAction({
    mutationFn: ({ transaction_id: id, retry_count }: Retried) =>
      answer(
        api.POST('/api/v1/activity/{id}/retry', {
          params: { path: { id }, query: { expected_retry_count: retry_count } },
        }),
      ),
    onMutate: ({ transaction_id, retry_count }) => markRetried(client, transaction_id, retry_count),
    failure: 'Not retried',
    refreshes: ['activity'],
    onError: (_error, { transaction_id }) => markRetried(client, transaction_id, undefined),
    onSuccess: () => showToast({ tone: 'good', text: 'The retry is queued.' }),
  })
}
