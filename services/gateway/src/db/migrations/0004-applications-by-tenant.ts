import type { Migration } from '@notify/database'

export const applicationsByTenant: Migration = {
  name: '0004-applications-by-tenant',
  index: { name: 'applications_by_tenant', on: 'on applications (tenant_id, id desc)' },
}
