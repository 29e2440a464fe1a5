import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'applications', own: ['moved_to'] },
    { table: 'inboxes' },
    { table: 'inbox_items' },
    { table: 'inbox_events', of: 'inbox_key in (select key from inboxes where tenant_id = $1)' },
    { table: 'waiting_items' },
  ],
  stays: {
    ...sharedTablesStay,
    idempotency_keys: 'answers of this cell, encrypted for it',
    inbox_start: 'set where a backup of this cell was restored',
    stream_replicas: 'processes of this cell',
    open_streams: 'connections to this cell',
  },
}
