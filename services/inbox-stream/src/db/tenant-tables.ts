import { sharedTablesStay, type TenantTables } from '@notify/database'
import { positionAt } from '../restore/restored-inboxes.ts'

/** The old cell goes on with the sequences: its later ones must not be taken for those of the events that follow here. */
const begun = `greatest(incoming.last_seq, ${positionAt('now()')})`

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'applications', own: ['moved_to'] },
    { table: 'inboxes', fitted: { last_seq: begun, pruned_seq: begun } },
    { table: 'inbox_items' },
    { table: 'inbox_events', of: 'inbox_key in (select key from inboxes where tenant_id = $1)' },
  ],
  stays: {
    ...sharedTablesStay,
    idempotency_keys: 'answers of this cell, encrypted for it',
    waiting_items: 'what precedes them is handed over in this cell',
    inbox_start: 'set where a backup of this cell was restored',
    stream_replicas: 'processes of this cell',
    open_streams: 'connections to this cell',
  },
}
