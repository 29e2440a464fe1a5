import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'providers' },
    { table: 'subscriptions' },
    {
      table: 'endpoints',
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
