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
  /** Until then the next import would undo what users change here. */
  async arrive(client, tenantId, { arriving }) {
    if (arriving) await client.query('update applications set moved_to = null where tenant_id = $1', [tenantId])
  },
})
