import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from './client.ts'
import { pollEvery } from './connection.ts'
import { useMay } from './me.ts'

export type WhatsAppTemplate = components['schemas']['WhatsAppTemplate']

const pollMs = 5000
export const whatsAppTemplatesKey = ['whatsapp-templates']

/** A page of the templates of the tenant's accounts, as their carriers judged them. */
export function useWhatsAppTemplates(cursor?: string) {
  const may = useMay()
  return useQuery({
    queryKey: [...whatsAppTemplatesKey, cursor],
    queryFn: ({ signal }) => {
      const query = { limit: 100, ...(cursor ? { cursor } : {}) }
      return answer(api.GET('/api/v1/whatsapp/templates', { params: { query }, signal }))
    },
    enabled: may('providers:manage'),
    refetchInterval: pollEvery(pollMs),
    placeholderData: (previous) => previous,
  })
}
