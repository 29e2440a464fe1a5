import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'

export type UserList = components['schemas']['List']

const pageSize = 50
const pollMs = 15_000

export function useLists(cursor: string | undefined) {
  return useQuery({
    queryKey: ['lists', cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/lists', { params: { query: { limit: pageSize, ...(cursor ? { cursor } : {}) } }, signal }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}
