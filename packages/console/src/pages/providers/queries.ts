import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'

export type Provider = components['schemas']['Provider']
export type CreatedProvider = components['schemas']['CreatedProvider']
export type ProviderKind = components['schemas']['ProviderKind']
export type ProviderTest = components['schemas']['ProviderTest']
export type NewProvider = components['schemas']['NewProvider']
export type ProviderChange = components['schemas']['ProviderChange']

const pollMs = 30_000
const key = ['providers']

export interface ProviderFilters {
  /** A part of the name or of the kind. */
  find?: string
  channel?: Provider['channel']
}

/** A page of the providers, by channel, in the order in which they are tried. */
export function useProviders({ find = '', channel }: ProviderFilters, cursor: string | undefined) {
  return useSearchableList({
    key: [...key, 'list', channel],
    find,
    textOf: ({ name, kind }: Provider) => `${name} ${kind}`,
    cursor,
    pollMs,
    read: async (page, signal) => {
      const query = { ...page, ...(channel ? { channel } : {}) }
      const { items, next_cursor } = await answer(api.GET('/api/v1/providers', { params: { query }, signal }))
      return { items: items.sort(inOrder), next_cursor }
    },
  })
}

const inOrder = (a: Provider, b: Provider) => a.channel.localeCompare(b.channel) || a.priority - b.priority

export function useProvider(id: string) {
  return useQuery({
    queryKey: [...key, 'one', id],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/providers/{provider_id}', { params: { path: { provider_id: id } }, signal })),
  })
}

/** The kinds with the schemas of their credentials, which change only with a release. */
export function useProviderKinds() {
  return useQuery({
    queryKey: ['provider-kinds'],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/provider-kinds', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Changes of providers. Each refreshes the list and the provider. */
export function useProviderActions() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: key })
  const path = (id: string) => ({ path: { provider_id: id } })
  const show = (provider: Provider) => {
    client.setQueryData([...key, 'one', provider.provider_id], provider)
  }
  const create = useMutation({
    mutationFn: (body: NewProvider) => answer(api.POST('/api/v1/providers', { body })),
    onSettled,
  })
  const change = useMutation({
    mutationFn: ({
      id,
      body,
      expected_updated_at,
    }: {
      id: string
      body: ProviderChange
      expected_updated_at: string
    }) => {
      const params = { ...path(id), query: { expected_updated_at } }
      return answer(api.PATCH('/api/v1/providers/{provider_id}', { params, body }))
    },
    onSuccess: show,
    onSettled,
  })
  const rotate = useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/v1/providers/{provider_id}/rotate-secret', { params: path(id) })),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (id: string) => answer(api.DELETE('/api/v1/providers/{provider_id}', { params: path(id) })),
    onSettled,
  })
  /** Reads a provider again, and updates the page that shows it. */
  const read = async (id: string) => {
    const provider = await answer(api.GET('/api/v1/providers/{provider_id}', { params: path(id) }))
    show(provider)
    return provider
  }
  return { create, change, read, rotate, remove }
}

/** Asks the carrier about the account. The answer is shown until the next test. */
export function useProviderTest() {
  return useMutation({
    mutationFn: (id: string) =>
      answer(
        api.POST('/api/v1/providers/{provider_id}/test', {
          params: { path: { provider_id: id } },
          headers: withNewKey(),
        }),
      ),
  })
}
