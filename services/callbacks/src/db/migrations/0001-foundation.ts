import type { Migration } from '@notify/database'

export const foundation: Migration = {
  name: '0001-foundation',
  transaction: [
    `create table providers (
         id text primary key,
         tenant_id text not null,
         kind text not null,
         revision int not null,
         account_id text,
         credentials bytea,
         sender text,
         topic_arns text[] not null default '{}',
         updated_at timestamptz not null default now()
       )`,
    `create index providers_account on providers (kind, account_id)`,
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
  ],
}
