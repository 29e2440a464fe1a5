import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import type { Filters } from './filters.tsx'
import type { ActivityDetail, ActivityItem } from './words.ts'

const pollMs = 5000
const pageSize = 100

/** A page of the list, polled every 5 s, except while a row is open or the tab is hidden. */
export function useActivity(filters: Filters, cursor: string | undefined, paused: boolean) {
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
    // After a change of filters the old rows stay until the new ones arrive.
    placeholderData: (previous) => previous,
  })
}

/**
 * An item with its attempts, polled until its state is final.
 * @param retried by this operator: the activity shows the former state until it receives the retry
 */
export function useActivityItem(id: string, retried: boolean) {
  return useQuery({
    queryKey: ['activity', 'item', id],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/activity/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (retried || isUnderWay(state.data) ? pollEvery(pollMs)() : false),
  })
}

/** All items that match the filters, as CSV. */
export const exportActivity = (filters: Filters): Promise<Blob> =>
  answer(api.GET('/api/v1/activity/export', { params: { query: { ...filters, format: 'csv' } }, parseAs: 'blob' }))

const isUnderWay = (item: ActivityDetail | undefined) =>
  item !== undefined && ['scheduled', 'queued', 'sent'].includes(item.status)

/** Retries a failed item. It shows as queued at once, and in its former state if the service refuses. */
export function useRetry() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/v1/activity/{id}/retry', { params: { path: { id } } })),
    onMutate: async (id) => {
      await client.cancelQueries({ queryKey: ['activity'] })
      const before = client.getQueriesData({ queryKey: ['activity'] })
      showQueued(client, id)
      return before
    },
    onError: (error, _id, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      showToast({ tone: 'bad', text: `Not retried: ${error.message}` })
    },
    onSuccess: () => showToast({ tone: 'good', text: 'The retry is queued.' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['activity'] }),
  })
}

function showQueued(client: QueryClient, id: string): void {
  const queued = { status: 'queued', retryable: false, failure_reason: null } as const
  client.setQueryData<ActivityDetail>(['activity', 'item', id], (item) => item && { ...item, ...queued })
  client.setQueriesData<{ items: ActivityItem[] }>(
    { queryKey: ['activity', 'list'] },
    (list) =>
      list && {
        ...list,
        items: list.items.map((item) => (item.transaction_id === id ? { ...item, ...queued } : item)),
      },
  )
}
