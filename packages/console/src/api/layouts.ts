import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { readAll } from './read-all.ts'

/** The most layouts of a tenant, unless the installation has raised the limit. */
const most = 1000

/** The start of the keys of all queries for layouts. */
export const layoutsKey = ['layouts']
export const layoutKey = (id: string) => [...layoutsKey, 'one', id]

const pathOf = (layout_id: string) => ({ path: { layout_id } })
export const readLayout = (id: string, signal?: AbortSignal) =>
  answer(api.GET('/api/v1/layouts/{layout_id}', { params: pathOf(id), ...(signal ? { signal } : {}) }))

/** The layouts to choose from, newest first. */
export function useLayoutChoice() {
  return useQuery({
    queryKey: [...layoutsKey, 'choice'],
    queryFn: ({ signal }) =>
      readAll(most, (cursor) =>
        answer(api.GET('/api/v1/layouts', { params: { query: { limit: 100, ...cursor } }, signal })),
      ),
    staleTime: 60_000,
  })
}

/** A layout; nothing is requested for an empty id. */
export function useLayout(id: string) {
  return useQuery({ queryKey: layoutKey(id), queryFn: ({ signal }) => readLayout(id, signal), enabled: id !== '' })
}
