import { exportTenantCommand, importTenantCommand, type MovingClient } from '@notify/database'
import { tenantTables as tables } from '../db/tenant-tables.ts'

export const exportTenant = exportTenantCommand({
  tables,
  async readApplications(client, tenantId) {
    const { rows } = await client.query<{ id: string }>(
      'select id from applications where tenant_id = $1 order by id',
      [tenantId],
    )
    return rows.map(({ id }) => id)
  },
  /** From now on the tenant's keys are answered with the way to the other cell. */
  async leave(client, tenantId, to) {
    const { rowCount } = await client.query(
      'update tenants set moved_to = $2, moved_at = coalesce(moved_at, now()), arriving = false where id = $1',
      [tenantId, to],
    )
    if (rowCount === 0) throw new Error(`there is no tenant ${tenantId} here`)
  },
  /** Retry jobs would see no choice that is made in the other cell. */
  async endWork(client, tenantId) {
    await client.query(
      `update retry_jobs set cancelled = true, finished_at = now(), next_at = null
       where tenant_id = $1 and finished_at is null`,
      [tenantId],
    )
  },
})

export const importTenant = importTenantCommand({
  tables,
  async requireArriving(client, tenantId) {
    const state = await stateOf(client, tenantId)
    if (!state || state.arriving || state.moved_to !== null) return
    throw new Error(`the tenant ${tenantId} is served here: an import would undo its changes`)
  },
  /** After a copy alone, a cell that the tenant was in before goes on naming the one that serves it. */
  async arrive(client, tenantId, { arriving, activate }) {
    await client.query(
      `update tenants set arriving = $2, moved_to = null, moved_at = null
       where id = $1 and ($3 or moved_to is null)`,
      [tenantId, !activate, arriving],
    )
  },
})

async function stateOf(client: MovingClient, tenantId: string) {
  const { rows } = await client.query<{ arriving: boolean; moved_to: string | null }>(
    'select arriving, moved_to from tenants where id = $1',
    [tenantId],
  )
  return rows[0]
}
