import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { useHasPermission } from './me.ts'
import { readAll } from './read-all.ts'

export type OperatorRecord = components['schemas']['Operator']

const most = 1000

/** The operators of the tenant by id; none without the permission to see them. */
export function useOperators(): ReadonlyMap<string, OperatorRecord> {
  const may = useHasPermission()
  const { data } = useQuery({
    queryKey: ['operators'],
    queryFn: async ({ signal }) => {
      const { items } = await readAll(most, (cursor) =>
        answer(api.GET('/api/v1/operators', { params: { query: { limit: 100, ...cursor } }, signal })),
      )
      return new Map(items.map((one) => [one.operator_id, one]))
    },
    enabled: may('audit:read'),
    staleTime: 60_000,
  })
  return data ?? none
}

const none: ReadonlyMap<string, OperatorRecord> = new Map()
