import { sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'tenants', of: 'id = $1', own: ['moved_to', 'moved_at', 'arriving'] },
    { table: 'applications' },
    { table: 'api_keys' },
    { table: 'prices' },
  ],
  stays: {
    ...sharedTablesStay,
    idempotency_keys: 'repeated requests of operators, who change nothing while a tenant moves',
    operators: 'profiles of operators: each of their access tokens brings them again',
    activity: 'history: operators read it in the cell that sent',
    activity_totals: 'counts of the history',
    activity_buckets: 'counts of the history',
    audit_log: 'history: append-only, in the cell where it happened',
    retry_jobs: 'retries of the history',
    api_requests: 'history: requests of a week to this cell',
    api_request_counts: 'history: requests of a week to this cell',
    usage_messages: 'usage of this cell; what a tenant uses is the sum of the cells',
    usage_days: 'usage of this cell; what a tenant uses is the sum of the cells',
    usage_locales: 'usage of this cell; what a tenant uses is the sum of the cells',
  },
}
