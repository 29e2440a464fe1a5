import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import type { Filters } from './filters.tsx'
import type { ActivityDetail, ActivityItem } from './words.ts'

const pollMs = 5000
const pageSize = 100

/** A page of the list. It is read every 5 s, but not while a row is open or the tab is hidden. */
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
    // Another filter keeps the rows until the new ones are there.
    placeholderData: (previous) => previous,
  })
}

/**
 * An item with its attempts, read again while it is under way.
 * @param retried by this operator: the item shows its former state until the retry arrives in the activity
 */
export function useActivityItem(id: string, retried: boolean) {
  return useQuery({
    queryKey: ['activity', 'item', id],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/activity/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (retried || isUnderWay(state.data) ? pollEvery(pollMs)() : false),
  })
}

/** All that the filters match, as CSV. */
export const exportActivity = (filters: Filters): Promise<Blob> =>
  answer(api.GET('/api/v1/activity/export', { params: { query: { ...filters, format: 'csv' } }, parseAs: 'blob' }))

const isUnderWay = (item: ActivityDetail | undefined) =>
  item !== undefined && ['scheduled', 'queued', 'sent'].includes(item.status)

/** Retries a failed item. It shows as queued at once, and as before when the service refuses. */
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
