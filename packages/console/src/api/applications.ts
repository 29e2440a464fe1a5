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

/** The language and time zone of messages that name none, where the operator may see them. */
export function useMessageDefaults(applicationId: string | null) {
  const { data } = useApplications()
  const found = data?.items.find(({ application_id }) => application_id === applicationId)
  return {
    ...(found?.default_locale ? { locale: found.default_locale } : {}),
    ...(found?.default_time_zone ? { time_zone: found.default_time_zone } : {}),
  }
}
