import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { pollEvery } from './connection.ts'
import { useHasPermission } from './me.ts'
import { useSearchableList } from './searchable-list.ts'

export type WhatsAppTemplate = components['schemas']['WhatsAppTemplate']

const pollMs = 5000
export const whatsAppTemplatesKey = ['whatsapp-templates']

/** The first templates of the tenant's accounts to choose from, with their states at the carriers. */
export function useWhatsAppTemplates() {
  const may = useHasPermission()
  return useQuery({
    queryKey: [...whatsAppTemplatesKey, 'choice'],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/whatsapp/templates', { params: { query: { limit: 100 } }, signal })),
    enabled: may('providers:manage'),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}

/** A page of the templates; with a search text, the templates of all pages whose names contain it. */
export function useWhatsAppTemplateList(find: string, cursor: string | undefined) {
  return useSearchableList({
    key: [...whatsAppTemplatesKey, 'list'],
    find,
    textOf: ({ name, language }: WhatsAppTemplate) => `${name} ${language}`,
    cursor,
    pollMs,
    read: (query, signal) => answer(api.GET('/api/v1/whatsapp/templates', { params: { query }, signal })),
  })
}
