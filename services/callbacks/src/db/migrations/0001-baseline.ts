import type { Migration } from '@notify/database'

export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    `create table providers (
         id text primary key,
         tenant_id text not null,
         kind text not null,
         revision int not null,
         account_id text,
         parent_id text,
         credentials bytea,
         verify_token bytea,
         sender text,
         topic_arns text[] not null default '{}',
         updated_at timestamptz not null default now(),
         deleted_at timestamptz,
         -- A removed row loses its secrets and stays: a late change of an older revision changes nothing.
         removed_at timestamptz
       )`,
    `create index providers_account on providers (kind, account_id)`,
    `create index providers_parent on providers (kind, parent_id) where parent_id is not null`,
    `create table received_callbacks (
         provider_id text not null,
         provider_message_id text not null,
         status text not null,
         received_at timestamptz not null default now(),
         primary key (provider_message_id, status, provider_id)
       )`,
    `create index received_callbacks_received_at on received_callbacks using brin (received_at)`,
    `create table told_receipts (
         attempt_id text not null,
         status text not null,
         message_id uuid not null,
         told_at timestamptz not null default now(),
         primary key (attempt_id, status)
       )`,
    `create index told_receipts_told_at on told_receipts using brin (told_at)`,
    `create index outbox_urgent on outbox (id)
       where published_at is null and subject in ('callbacks.message.received', 'callbacks.preference.changed')`,
  ],
}
