import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [{ table: 'providers' }],
  stays: {
    ...sharedTablesStay,
    received_callbacks: 'what this cell has recorded',
    moved_tenants: 'where this cell leads callbacks',
  },
}
