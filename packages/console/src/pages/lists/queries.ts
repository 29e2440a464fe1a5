import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import type { Mode } from '../../ui/mode.ts'

export type UserList = components['schemas']['List']

const pageSize = 50
const pollMs = 15_000

export function useLists(mode: Mode | undefined, cursor: string | undefined) {
  return useQuery({
    queryKey: ['lists', mode, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/lists', {
          params: { query: { limit: pageSize, ...(mode ? { mode } : {}), ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}
