import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { pollEvery } from '../../api/connection.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { showToast } from '../../ui/toasts.tsx'
import { type Domain, domainStatuses, progressOf } from './words.ts'

const pollMs = 10_000
const key = ['domains']

/** A page of the domains; with a search text, those of all pages whose names contain it. */
export function useDomains(find: string, cursor: string | undefined) {
  return useSearchableList({
    key: [...key, 'list'],
    find,
    textOf: ({ domain }: Domain) => domain,
    cursor,
    pollMs,
    read: (query, signal) => answer(api.GET('/api/v1/domains', { params: { query }, signal })),
  })
}

const isSettled = ({ status, carriers }: Domain) =>
  status === 'verified' && carriers.every((carrier) => carrier.status !== 'pending')

/** A domain, polled until its records are found, also by the carriers. */
export function useDomain(domain_id: string) {
  return useQuery({
    queryKey: [...key, 'domain', domain_id],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/domains/{domain_id}', { params: { path: { domain_id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : pollEvery(pollMs)()),
  })
}

/** Makes the service look up the records now. */
export function useVerify() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (domain_id: string) =>
      answer(
        api.POST('/api/v1/domains/{domain_id}/verify', { params: { path: { domain_id } }, headers: withNewKey() }),
      ),
    onSuccess: (domain) => {
      client.setQueryData<Domain>([...key, 'domain', domain.domain_id], domain)
      const { name, tone } = domainStatuses[domain.status]
      if (tone === 'good') showToast({ tone: 'good', text: `${domain.domain} is verified.` })
      else showToast({ text: `${name}: ${progressOf(domain)}.` })
    },
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
}

export function useAddDomain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (domain: string) => answer(api.POST('/api/v1/domains', { body: { domain } })),
    onSuccess: (domain) => {
      client.setQueryData<Domain>([...key, 'domain', domain.domain_id], domain)
      return client.invalidateQueries({ queryKey: [...key, 'list'] })
    },
  })
}

export function useDeleteDomain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (domain_id: string) =>
      answer(api.DELETE('/api/v1/domains/{domain_id}', { params: { path: { domain_id } } })),
    onSuccess: (_done, deleted) => {
      client.setQueriesData<{ items: Domain[] }>(
        { queryKey: [...key, 'list'] },
        (list) => list && { ...list, items: list.items.filter(({ domain_id }) => domain_id !== deleted) },
      )
      return client.invalidateQueries({ queryKey: [...key, 'list'] })
    },
  })
}
