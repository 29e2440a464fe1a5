import type { Migration } from '@notify/database'

const key = 'tenant_id, application_id, mode'
const columns = `id, lane, channel, status, settled, enqueued_at, next_attempt_at, expires_at, created_at, ${key}`
const followed = ['status', 'settled', 'enqueued_at', 'next_attempt_at', 'expires_at']
const listed = (row: string) => followed.map((column) => `${row}.${column}`).join(', ')

const isOpen = (row: string) => `(not ${row}.settled or (${row}.expires_at is not null and ${row}.payload is not null))`

/** Workers claim what is due from here, each application in its turn. */
export const sendQueues: Migration = {
  name: '0019-send-queues',
  transaction: [
    'alter table in_flight add column tenant_id text, add column application_id text, add column mode text',
    `create or replace function follow_accepted() returns trigger language plpgsql set search_path from current as $$
       begin
         insert into in_flight (${columns}, since) select ${columns}, updated_at from added where ${isOpen('added')};
         return null;
       end $$`,
    `create or replace function follow_changed() returns trigger language plpgsql set search_path from current as $$
       begin
         merge into in_flight f using after n on f.id = n.id
         when matched and not ${isOpen('n')} then delete
         when matched and (${listed('f')}) is distinct from (${listed('n')}) then
           update set ${followed.map((column) => `${column} = n.${column}`).join(', ')},
             since = case when f.status = n.status then f.since else n.updated_at end
         when not matched and ${isOpen('n')} then
           insert (${columns}, since) values (${columns.replaceAll(/\w+/g, 'n.$&')}, n.updated_at);
         return null;
       end $$`,
    `create table held_queues (
       application_id text not null,
       channel text not null,
       mode text not null,
       since timestamptz not null default now(),
       primary key (application_id, channel, mode)
     )`,
  ],
}
