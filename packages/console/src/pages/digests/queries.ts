import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'

export type Digest = components['schemas']['OpenDigest']

const pageSize = 50
const pollMs = 5000
const key = ['digests']

export interface Filters {
  event_key?: string
}

export function useDigests(application_id: string, filters: Filters, cursor: string | undefined) {
  return useQuery({
    queryKey: [...key, application_id, filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/applications/{application_id}/digests', {
          params: { path: { application_id }, query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

export function useCloseDigest(application_id: string) {
  return useAction({
    mutationFn: (digest_id: string) =>
      answer(
        api.POST('/api/v1/applications/{application_id}/digests/{digest_id}/close', {
          params: { path: { application_id, digest_id } },
        }),
      ),
    failure: 'The digest was not closed',
    refreshes: key,
    onSuccess: () => showToast({ tone: 'good', text: 'The digest is closed, and will be sent within seconds.' }),
  })
}
