import type { Migration } from '@notify/database'

export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    `create table transactions (
         id text primary key,
         tenant_id text not null,
         application_id text not null,
         mode text not null check (mode in ('live', 'test')),
         channel text not null,
         recipient bytea,
         recipient_masked text not null,
         recipient_index text not null,
         prefix text,
         language text,
         locale text,
         length smallint not null,
         is_custom boolean not null default false,
         ttl_seconds int not null,
         code_proof text,
         replaced jsonb,
         status text not null default 'pending',
         failure_reason text,
         attempts smallint not null default 0,
         resends smallint not null default 0,
         notification_id text not null,
         revision int not null default 1,
         traceparent text,
         created_at timestamptz not null default clock_timestamp(),
         updated_at timestamptz not null default clock_timestamp(),
         expires_at timestamptz not null,
         verified_at timestamptz
       ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
    // The recipient is erased with the code, so the index contains only live codes.
    `create index transactions_expiring on transactions (expires_at) where recipient is not null`,
    `create index transactions_expiring_of_tenant on transactions (tenant_id, expires_at) where recipient is not null`,
    `create index transactions_prefix on transactions (tenant_id, mode, prefix, created_at) where prefix is not null`,
    // People ask about the last hour (docs/night.md). BRIN finds the newest rows only, and costs their insertion nearly nothing.
    `create index transactions_created_at on transactions using brin (created_at) with (autosummarize = on)`,
    `create table messages (
         notification_id text primary key,
         transaction_id text not null,
         tenant_id text not null,
         mode text not null,
         recipient_index text not null,
         request bytea,
         refusal text,
         due_at timestamptz,
         expires_at timestamptz not null,
         created_at timestamptz not null default clock_timestamp()
       ) with (fillfactor = 70)`,
    `create index messages_recipient on messages (tenant_id, recipient_index, created_at)`,
    `create index messages_due on messages (due_at) where due_at is not null`,
    `create index messages_due_of_tenant on messages (tenant_id, due_at) where due_at is not null`,
    `create index messages_transaction on messages (transaction_id)`,
    `create table applications (
         id text primary key,
         tenant_id text not null,
         revision int not null,
         settings jsonb not null,
         updated_at timestamptz not null default now()
       )`,
  ],
}
