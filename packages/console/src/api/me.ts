import type { components } from '@notify/sdk'
import { useSuspenseQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'

export type Operator = Extract<components['schemas']['Me'], { kind: 'operator' }>
export type Permission = Operator['permissions'][number]

/** The operator who is signed in. Read before the first page is shown. */
export function useOperator(): Operator {
  const { data } = useSuspenseQuery({
    queryKey: ['me'],
    queryFn: async () => (await answer(api.GET('/api/v1/me'))) as Operator,
    staleTime: 5 * 60_000,
  })
  return data
}

/** Whether the operator has a permission; `null`: none is needed. */
export function useHasPermission(): (permission: Permission | null) => boolean {
  const { permissions } = useOperator()
  return (permission) => permission === null || permissions.includes(permission)
}
