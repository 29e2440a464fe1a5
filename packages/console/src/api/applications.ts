import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { useHasPermission } from './me.ts'
import { readAll } from './read-all.ts'

/** The most applications of a tenant, unless the installation has raised the limit. */
const most = 1000

/** The applications to choose from, newest first. Nothing is requested without the permission to list them. */
export function useApplications() {
  const may = useHasPermission()
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
