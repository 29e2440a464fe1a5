import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'providers' },
    { table: 'subscriptions' },
    {
      table: 'endpoints',
      // Origins have deliveries of this cell alone, and a send creates them.
      of: `tenant_id = $1 and starts_with(id, 'whsub_')`,
      // Found by it, the deliveries that wait here for a subscription that was deleted in the other cell are deleted.
      ended: 'active = false, deleted_at = coalesce(deleted_at, now())',
      own: ['next_due_at', 'leased_until', 'struggling', 'failures', 'failing_since', 'failed_at'],
    },
  ],
  stays: {
    ...sharedTablesStay,
    idempotency_keys: 'answers of this cell, encrypted for it',
    deliveries: 'what happened here is delivered from here',
    attempts: 'of deliveries',
    fan_outs: 'become deliveries here',
    replays: 'of deliveries',
  },
}
