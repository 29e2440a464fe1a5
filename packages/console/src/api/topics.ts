import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { useHasPermission } from './me.ts'
import { readAll } from './read-all.ts'

export type Topic = components['schemas']['Topic']

/** More than an application has, unless the installation has raised the limit. */
const most = 1000

/** The start of the keys of all queries for the topics of an application. */
export const topicsKey = (applicationId: string) => ['topics', applicationId]

/** All topics of an application by key. Nothing is requested without the permission to see them. */
export function useTopics(applicationId: string) {
  const may = useHasPermission()
  return useQuery({
    queryKey: topicsKey(applicationId),
    queryFn: ({ signal }) =>
      readAll(most, (cursor) => {
        const params = { path: { application_id: applicationId }, query: { limit: 100, ...cursor } }
        return answer(api.GET('/api/v1/applications/{application_id}/topics', { params, signal }))
      }),
    enabled: may('topics:manage'),
  })
}
