import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [{ table: 'applications' }],
  stays: {
    ...sharedTablesStay,
    idempotency_keys: 'answers of this cell, encrypted for it',
    transactions: 'codes live for minutes, and are verified in the cell that sent them',
    messages: 'messages of this cell: moved, a code would be sent twice',
  },
}
