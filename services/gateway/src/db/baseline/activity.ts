/** The kind of an item; the same text as in activity/kind-sql.ts. A hash of it keeps the entries of the indexes short. */
const kind = `tenant_id || ' ' || application_id || ' ' || mode || ' ' || channel || ' ' || status || ' ' || retryable::text`

/** The items of the activity. Their indexes lead to a list by time alone, by kind, by kind and event, language or broadcast, or by recipient. */
export const activityTables = [
  `create table activity (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     channel text not null,
     event_key text,
     recipient_masked text not null,
     recipient_index text not null,
     locale text,
     requested_locale text,
     broadcast_id text,
     created_at timestamptz not null,
     -- What updates change comes last: Postgres logs a new version from the first byte that differs.
     revision int not null,
     status text not null,
     failure_reason text,
     retryable boolean not null,
     retry_count int not null,
     digest_id text,
     -- What it was charged; null: nothing so far.
     credits int,
     updated_at timestamptz not null
   ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
  // Ascending: a new item goes to the last page of the index, which is then filled and not split in half.
  'create index activity_by_time on activity (tenant_id, created_at, id)',
  // Without the id, which only orders items of the same millisecond, an entry takes half the space.
  `create index activity_of_kind on activity ((hashtextextended(${kind}, 0)), created_at)`,
  `create index activity_of_event on activity ((hashtextextended(${kind} || ' ' || event_key, 0)), created_at)
     where event_key is not null`,
  // Most items have no language, and no entry.
  `create index activity_of_locale on activity ((hashtextextended(${kind} || ' ' || locale, 0)), created_at)
     where locale is not null`,
  `create index activity_of_broadcast on activity ((hashtextextended(${kind} || ' ' || broadcast_id, 0)), created_at)
     where broadcast_id is not null`,
  'create index activity_of_digest on activity (digest_id, created_at) where digest_id is not null',
  // A recipient's blind index is made with a key of its tenant, so the tenant is not in the index.
  'create index activity_of_recipient on activity ((hashtextextended(recipient_index, 0)), created_at)',
]
