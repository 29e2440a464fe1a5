import type { Migration } from '@notify/database'

export const usage: Migration = {
  name: '0007-usage',
  transaction: [
    `create table usage_messages (
         id text primary key,
         revision int not null,
         credits int not null,
         day date not null
       ) with (fillfactor = 80)`,
    `create index usage_messages_day on usage_messages using brin (day)`,
    `create table usage_days (
         tenant_id text not null,
         day date not null,
         application_id text not null,
         channel text not null,
         category text not null,
         messages bigint not null,
         credits bigint not null,
         primary key (tenant_id, day, application_id, channel, category)
       ) with (fillfactor = 50)`,
  ],
}
