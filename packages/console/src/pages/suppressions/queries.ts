import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import type { Suppression, SuppressionChannel } from './words.ts'

const pageSize = 50
const pollMs = 15_000
const key = ['suppressions']

export interface Filters {
  channel?: SuppressionChannel
  reason?: Suppression['reason']
  recipient_token?: string
}

export function useSuppressions(filters: Filters, cursor: string | undefined, paused: boolean) {
  return useQuery({
    queryKey: [...key, filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/suppressions', {
          params: { query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: paused ? false : pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

export function useAddSuppression() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { channel: SuppressionChannel; recipient: string }) =>
      answer(api.POST('/api/v1/suppressions', { body: { ...body, reason: 'manual' } })),
    onSuccess: ({ recipient_masked, reason }) => {
      const isNew = reason === 'manual'
      showToast({
        tone: 'good',
        text: isNew
          ? `${recipient_masked} is suppressed.`
          : `${recipient_masked} was suppressed before; the reason stays.`,
      })
      return client.invalidateQueries({ queryKey: key })
    },
  })
}

export function useRemoveSuppression() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (suppression_id: string) =>
      answer(api.DELETE('/api/v1/suppressions/{suppression_id}', { params: { path: { suppression_id } } })),
    onSuccess: () => {
      showToast({ tone: 'good', text: 'The suppression is removed.' })
      void client.invalidateQueries({ queryKey: key })
    },
  })
}
