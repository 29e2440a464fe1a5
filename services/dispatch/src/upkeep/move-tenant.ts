import { exportTenantCommand, importTenantCommand } from '@notify/database'
import { encryptedColumns as encrypted } from './encrypted-columns.ts'
import { tenantTables as tables } from './tenant-tables.ts'

export const exportTenant = exportTenantCommand({
  tables,
  encrypted,
  /** The broadcasts of this cell see no choice that is made in the other one, and nobody can stop them there. */
  async requireIdle(client, tenantId) {
    const { rows } = await client.query(
      `select count(*)::int as open from broadcasts where tenant_id = $1 and status in ('running', 'paused')`,
      [tenantId],
    )
    const { open } = rows[0]
    if (open > 0)
      throw new Error(`${open} broadcasts of the tenant are open: let them end, or cancel them, before the hand-over`)
  },
  /** A domain that is deleted in the other cell would come back to its carrier. */
  async leave(client, tenantId) {
    await client.query('update providers set keeps_domains = false where tenant_id = $1', [tenantId])
  },
  /** They arrive in inboxes of this cell, which only users with a token of it see. */
  async countStaying(client, tenantId) {
    const { rows } = await client.query(
      `select count(*)::int as in_app from in_flight where tenant_id = $1 and channel = 'in_app' and not settled`,
      [tenantId],
    )
    return rows[0]
  },
})
export const importTenant = importTenantCommand({ tables, encrypted })
