import { exportTenantCommand, importTenantCommand } from '@notify/database'
import { encryptedColumns as encrypted } from '../db/encrypted-columns.ts'
import { tenantTables as tables } from '../db/tenant-tables.ts'

export const exportTenant = exportTenantCommand({
  tables,
  encrypted,
  /** From now on users only read here: what they changed would be lost. */
  async leave(client, tenantId, to) {
    await client.query('update applications set moved_to = $2 where tenant_id = $1', [tenantId, to])
  },
})

export const importTenant = importTenantCommand({
  tables,
  encrypted,
  async arrive(client, tenantId) {
    await client.query('update applications set moved_to = null where tenant_id = $1', [tenantId])
  },
})
