import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { Subscription } from './words.ts'

const pollMs = 15_000
const jobPollMs = 1500
const key = ['webhooks']

export interface SubscriptionFilters {
  /** A part of the address or of the description. */
  find?: string
  application_id?: string
}

/** A page of the subscriptions; with a search text, those of all pages that contain it. */
export function useSubscriptions({ find = '', application_id }: SubscriptionFilters, cursor: string | undefined) {
  const application = application_id ? { application_id } : {}
  return useSearchableList({
    key: [...key, 'list', application_id],
    find,
    textOf: ({ url, description }: Subscription) => `${url} ${description}`,
    cursor,
    pollMs,
    read: (query, signal) =>
      answer(api.GET('/api/v1/webhook-subscriptions', { params: { query: { ...query, ...application } }, signal })),
  })
}

/** A subscription, polled often while a replay runs. */
export function useSubscription(subscription_id: string) {
  return useQuery({
    queryKey: [...key, 'subscription', subscription_id],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/webhook-subscriptions/{subscription_id}', { params: { path: { subscription_id } }, signal }),
      ),
    refetchInterval: ({ state }) => pollEvery(isReplaying(state.data) ? jobPollMs : pollMs)(),
  })
}

/** Reads a subscription again, and updates the page that shows it. */
export function useReadSubscription(subscription_id: string) {
  const client = useQueryClient()
  return async () => {
    const params = { path: { subscription_id } }
    const read = await answer(api.GET('/api/v1/webhook-subscriptions/{subscription_id}', { params }))
    client.setQueryData<Subscription>([...key, 'subscription', subscription_id], read)
    return read
  }
}

/** A change of a subscription, and the state that it is based on. */
type SubscriptionChange = components['schemas']['WebhookSubscriptionChange'] & { expected_updated_at?: string }

const isReplaying = (subscription: Subscription | undefined) => subscription?.replay?.finished_at === null

export function useCreateSubscription() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['NewWebhookSubscription']) =>
      answer(api.POST('/api/v1/webhook-subscriptions', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, 'list'] }),
  })
}

/** The changes of one subscription. The page shows each result at once. */
export function useSubscriptionActions(subscription_id: string) {
  const client = useQueryClient()
  const params = { path: { subscription_id } }
  const change = useAction({
    mutationFn: ({ expected_updated_at, ...body }: SubscriptionChange) => {
      const query = expected_updated_at === undefined ? {} : { expected_updated_at }
      return answer(
        api.PATCH('/api/v1/webhook-subscriptions/{subscription_id}', { params: { ...params, query }, body }),
      )
    },
    failure: 'The subscription was not changed',
    refreshes: key,
    onSuccess: (changed) => client.setQueryData<Subscription>([...key, 'subscription', subscription_id], changed),
  })
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/webhook-subscriptions/{subscription_id}', { params })),
    onSuccess: () => {
      client.setQueriesData<{ items: Subscription[] }>(
        { queryKey: [...key, 'list'] },
        (list) => list && { ...list, items: list.items.filter((item) => item.subscription_id !== subscription_id) },
      )
      return client.invalidateQueries({ queryKey: [...key, 'list'] })
    },
  })
  const rotate = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/webhook-subscriptions/{subscription_id}/rotate-secret', { params })),
  })
  const test = useAction({
    mutationFn: () => answer(api.POST('/api/v1/webhook-subscriptions/{subscription_id}/test', { params })),
    failure: 'No test event was sent',
    refreshes: key,
    onSuccess: () => showToast({ tone: 'good', text: 'A test event is sent; its delivery appears below.' }),
  })
  return { change, remove, rotate, test }
}
