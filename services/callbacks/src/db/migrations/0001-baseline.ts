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
         -- Of a receipt: the attempt that it reports on, and the outbox message that holds its event.
         attempt_id text,
         message_id uuid,
         primary key (provider_message_id, status, provider_id)
       )`,
    `create index received_callbacks_attempt on received_callbacks (attempt_id) where attempt_id is not null`,
    `create index received_callbacks_received_at on received_callbacks (received_at)`,
    // For an erasure, which deletes those of a tenant.
    `create index received_callbacks_identified on received_callbacks (provider_id) where status = 'identified'`,
    // Tenants that another cell serves, and to which callbacks of their carriers are forwarded for a while.
    `create table moved_tenants (
         tenant_id text primary key,
         cell text not null,
         moved_at timestamptz not null default now()
       )`,
    `create index outbox_urgent on outbox (id)
       where published_at is null and subject in ('callbacks.message.received', 'callbacks.preference.changed')`,
  ],
}
