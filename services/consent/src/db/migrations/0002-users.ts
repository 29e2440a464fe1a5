import type { Migration } from '@notify/database'

export const users: Migration = {
  name: '0002-users',
  transaction: [
    `create table users (
         tenant_id text not null,
         user_index text not null,
         phone bytea,
         primary key (tenant_id, user_index)
       )`,
    `create table waiting_changes (
         tenant_id text not null,
         user_index text not null,
         origin text not null,
         action text not null check (action in ('opt_out', 'marketing_stop', 'marketing_resume')),
         source text not null,
         received_at timestamptz not null,
         primary key (tenant_id, user_index, origin)
       )`,
  ],
}
