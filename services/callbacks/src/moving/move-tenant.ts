import { exportTenantCommand, importTenantCommand } from '@notify/database'
import { encryptedColumns as encrypted } from '../db/encrypted-columns.ts'
import { tenantTables as tables } from '../db/tenant-tables.ts'

export const exportTenant = exportTenantCommand({
  tables,
  encrypted,
  /** From now on what carriers still report here is forwarded to the other cell. */
  async leave(client, tenantId, to) {
    await client.query(
      `insert into moved_tenants (tenant_id, cell) values ($1, $2)
       on conflict (tenant_id) do update set cell = excluded.cell, moved_at = now()`,
      [tenantId, to],
    )
  },
})

export const importTenant = importTenantCommand({
  tables,
  encrypted,
  /** What carriers report here is forwarded until everything has arrived: an import deletes a STOP that counts here alone. */
  async arrive(client, tenantId, { arriving }) {
    const goOn = 'update moved_tenants set moved_at = now()'
    await client.query(`${arriving ? 'delete from moved_tenants' : goOn} where tenant_id = $1`, [tenantId])
  },
})
