import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { showToast } from '../../ui/toasts.tsx'
import type { Subscription } from './words.ts'

const pageSize = 100
const pollMs = 15_000
const jobPollMs = 1500
const key = ['webhooks']

export function useSubscriptions(cursor: string | undefined) {
  return useQuery({
    queryKey: [...key, 'list', cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/webhook-subscriptions', {
          params: { query: { limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

/** A subscription, read again often while a replay runs. */
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

const isReplaying = (subscription: Subscription | undefined) => subscription?.replay?.finished_at === null

export function useCreateSubscription() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['NewWebhookSubscription']) =>
      answer(api.POST('/api/v1/webhook-subscriptions', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, 'list'] }),
  })
}

/** Changes of one subscription. Each shows what came of it in the page at once. */
export function useSubscriptionActions(subscription_id: string) {
  const client = useQueryClient()
  const params = { path: { subscription_id } }
  const refresh = () => client.invalidateQueries({ queryKey: key })
  const change = useMutation({
    mutationFn: (body: components['schemas']['WebhookSubscriptionChange']) =>
      answer(api.PATCH('/api/v1/webhook-subscriptions/{subscription_id}', { params, body })),
    onSuccess: (changed) => {
      client.setQueryData<Subscription>([...key, 'subscription', subscription_id], changed)
      return refresh()
    },
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
  const test = useMutation({
    mutationFn: () => answer(api.POST('/api/v1/webhook-subscriptions/{subscription_id}/test', { params })),
    onSuccess: () => {
      showToast({ tone: 'good', text: 'A test event is sent; its delivery appears below.' })
      return refresh()
    },
    onError: (error) => showToast({ tone: 'bad', text: `No test event was sent: ${error.message}` }),
  })
  return { change, remove, rotate, test }
}
