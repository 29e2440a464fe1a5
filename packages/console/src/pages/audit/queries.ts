import type { components } from '@notify/sdk'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

export type AuditEntry = components['schemas']['AuditEntry']

export interface AuditFilters {
  action?: string
  resource_type?: string
  resource_id?: string
  actor_id?: string
  from?: string
  to?: string
}

const pageSize = 50

export function useAuditLog(filters: AuditFilters, cursor: string | undefined) {
  return useQuery({
    queryKey: ['audit', filters, cursor],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/api/v1/audit-log', {
          params: { query: { ...filters, limit: pageSize, ...(cursor ? { cursor } : {}) } },
          signal,
        }),
      ),
    placeholderData: (previous) => previous,
  })
}

/** All entries that match the filters, one JSON object per line. */
export const exportAuditLog = (filters: AuditFilters): Promise<Blob> =>
  answer(api.GET('/api/v1/audit-log/export', { params: { query: filters }, parseAs: 'blob' }))
