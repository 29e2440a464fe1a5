import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { pollEvery } from './connection.ts'
import { useHasPermission } from './me.ts'

const pollMs = 2000

/** The newest item of the activity; null before anything was sent. Polled until it is delivered. */
export function useNewestItem({ polls }: { polls: boolean }) {
  const may = useHasPermission()
  return useQuery({
    queryKey: ['activity', 'newest'],
    queryFn: async ({ signal }) => {
      const { items } = await answer(api.GET('/api/v1/activity', { params: { query: { limit: 1 } }, signal }))
      return items[0] ?? null
    },
    enabled: may('activity:read'),
    refetchInterval: ({ state }) => polls && state.data?.status !== 'delivered' && pollEvery(pollMs)(),
  })
}
