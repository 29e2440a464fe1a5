import { erasedEntry, sharedTablesStay, type TenantTables } from '@notify/database'

/** What moves with a tenant to another cell, and what stays. */
export const tenantTables: TenantTables = {
  moved: [
    { table: 'events' },
    { table: 'event_versions', appendOnly: true },
    { table: 'templates' },
    { table: 'layouts' },
    { table: 'layout_versions' },
    {
      table: 'suppressions',
      isNewer: (known, incoming) =>
        `(${known}.lifted_at is null and ${known}.reported_at > greatest(${incoming}.reported_at, ${incoming}.lifted_at))`,
    },
    { table: 'recipients' },
    { table: 'ended_applications' },
    { table: 'lists' },
    { table: 'list_members' },
    { table: 'topics' },
    { table: 'preferences' },
    { table: 'preference_changes', appendOnly: true, erased: erasedEntry },
    // The old cell stops with the hand-over: what was exported before is only a copy.
    { table: 'providers', fitted: { keeps_domains: 'not incoming.keeps_domains' } },
    { table: 'carrier_templates' },
    { table: 'carrier_template_syncs' },
    { table: 'domains', key: ['tenant_id', 'domain'] },
    { table: 'domain_identities', own: ['leased_until'] },
    // So that a request that is repeated in the new cell sends nothing again. Other answers are encrypted for this cell.
    {
      table: 'idempotency_keys',
      of: `split_part(scope, ' ', 1) = any(array[$1::text] || $2::text[]) and response like '{%'`,
    },
  ],
  stays: {
    ...sharedTablesStay,
    notifications: 'what was accepted here is sent and followed here',
    in_flight: 'follows notifications',
    attempts: 'of notifications',
    copies: 'of notifications',
    attachments: 'of notifications',
    hand_off_tails: 'the order of what was accepted here',
    broadcasts: 'ended before the move: an export refuses open ones',
    digests: 'sends what was accepted here',
    held_queues: 'queues of this cell',
    send_slots: 'the pace of this cell',
    failure_hours: 'history: what carriers of this cell refused',
    tallies: 'counts of this cell',
    balance_lease: 'a lease of this cell',
  },
}
