import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { withKeyOf, withNewKey } from '../../api/unanswered-writes.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { DeliverySummary } from './words.ts'

const pageSize = 50
const pollMs = 5000
const key = ['webhooks']

interface DeliveryFilter {
  status?: DeliverySummary['status'] | undefined
  cursor?: string | undefined
}

/** The deliveries of a subscription, live. */
export function useDeliveries(subscription_id: string, { status, cursor }: DeliveryFilter, paused: boolean) {
  return useQuery({
    queryKey: [...key, 'deliveries', subscription_id, status, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/webhook-subscriptions/{subscription_id}/deliveries', {
          params: {
            path: { subscription_id },
            query: { limit: pageSize, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) },
          },
          signal,
        }),
      ),
    refetchInterval: paused ? false : pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

/** A delivery with its attempts, polled while it is pending. */
export function useDelivery(delivery_id: string) {
  return useQuery({
    queryKey: [...key, 'delivery', delivery_id],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/webhook-deliveries/{delivery_id}', { params: { path: { delivery_id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pollEvery(pollMs / 2)() : false),
  })
}

/** Replays a delivery that has ended, once for each of its ends. */
export function useReplayDelivery({ delivery_id, finished_at }: DeliverySummary) {
  return useAction({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/webhook-deliveries/{delivery_id}/replay', {
          params: { path: { delivery_id } },
          headers: withKeyOf(`finished-${finished_at}`),
        }),
      ),
    failure: 'Not replayed',
    refreshes: key,
    onSuccess: () => showToast({ tone: 'good', text: 'The webhook will be delivered again.' }),
  })
}

/** Counts the exhausted deliveries since a moment, and replays them in the background. */
export function useReplaySince(subscription_id: string) {
  const client = useQueryClient()
  const call = async (since: string, dry_run: boolean) =>
    answer(
      api.POST('/api/v1/webhook-subscriptions/{subscription_id}/replay', {
        params: { path: { subscription_id } },
        body: { since, dry_run },
        // A count that was not answered may be another one by now.
        ...(dry_run ? { headers: withNewKey() } : {}),
      }),
    )
  const count = useMutation({ mutationFn: async (since: string) => (await call(since, true)).count })
  const start = useMutation({
    mutationFn: (since: string) => call(since, false),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  })
  return { count, start }
}
