import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ActivityItem } from './words.ts'

export type Retried = Pick<ActivityItem, 'transaction_id' | 'retry_count'>

/** The retry_count that each item had when this tab retried it. */
type RetriedItems = Readonly<Record<string, number>>

const key = ['retried-items']

/** Remembers an item's retry_count at its retry; undefined forgets it. */
export function markRetried(client: QueryClient, id: string, retryCount: number | undefined): void {
  client.setQueryData<RetriedItems>(key, (items) => {
    const { [id]: _, ...others } = items ?? {}
    return retryCount === undefined ? others : { ...others, [id]: retryCount }
  })
}

/**
 * An item as the console shows it. The activity lags behind a retry, so an item stays queued until its retry_count grows.
 * @returns the item itself if this tab has not retried it
 */
export function asShown<Item extends ActivityItem>(retried: RetriedItems, item: Item): Item {
  const before = retried[item.transaction_id]
  if (before === undefined || item.retry_count > before) return item
  return { ...item, status: 'queued', retryable: false, failure_reason: null }
}

/** {@link asShown} with the retries of this tab. */
export function useShown() {
  const { data } = useQuery<RetriedItems>({
    queryKey: key,
    queryFn: () => ({}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    initialData: {},
  })
  return useCallback(<Item extends ActivityItem>(item: Item) => asShown(data, item), [data])
}
