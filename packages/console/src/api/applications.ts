import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { useMay } from './me.ts'

/** The newest 100 applications, to choose from. Without the permission to list them nothing is asked. */
export function useApplications() {
  const may = useMay()
  return useQuery({
    queryKey: ['applications', 'choice'],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/applications', { params: { query: { limit: 100 } }, signal })),
    enabled: may('applications:manage'),
    staleTime: 30_000,
  })
}
