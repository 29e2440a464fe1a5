import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import type { Mode } from '../../ui/mode.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'

export type Broadcast = components['schemas']['Broadcast']

const pageSize = 50
const pollMs = 5000
const key = ['broadcasts']

export interface Filters {
  list_id?: string
  mode?: Mode
}

export function useBroadcasts(filters: Filters, cursor: string | undefined) {
  return useQuery({
    queryKey: [...key, filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/broadcasts', {
          params: { query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

export function useBroadcast(broadcast_id: string) {
  return useQuery({
    queryKey: [...key, broadcast_id],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/broadcasts/{broadcast_id}', { params: { path: { broadcast_id } }, signal })),
    refetchInterval: pollEvery(pollMs),
  })
}

const done = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' } as const
export type Verb = keyof typeof done

export function useControl(broadcast_id: string) {
  const params = { path: { broadcast_id } }
  return useAction({
    mutationFn: (verb: Verb) =>
      answer(api.POST(`/api/v1/broadcasts/{broadcast_id}/${verb}`, { params, headers: withNewKey() })),
    failure: 'The broadcast was not changed',
    refreshes: key,
    onSuccess: (_broadcast, verb) => showToast({ tone: 'good', text: `The broadcast is ${done[verb]}.` }),
  })
}
