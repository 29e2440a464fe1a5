import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { useMay } from './me.ts'
import { readAll } from './read-all.ts'

/** As many as a tenant may have, unless its installation raised the limit. */
const most = 1000

/** The applications to choose from, newest first. Without the permission to list them nothing is asked. */
export function useApplications() {
  const may = useMay()
  return useQuery({
    queryKey: ['applications', 'choice'],
    queryFn: ({ signal }) =>
      readAll(most, (cursor) =>
        answer(api.GET('/api/v1/applications', { params: { query: { limit: 100, ...cursor } }, signal })),
      ),
    enabled: may('applications:manage'),
    staleTime: 60_000,
  })
}
