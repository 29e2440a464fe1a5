import type { Migration } from '@notify/database'

/** The sums of usage by language, of messages whose language is known. */
export const usageLocales: Migration = {
  name: '0005-usage-locales',
  transaction: [
    `create table usage_locales (
       tenant_id text not null,
       day date not null,
       application_id text not null,
       channel text not null,
       locale text not null,
       messages bigint not null,
       credits bigint not null,
       primary key (tenant_id, day, application_id, channel, locale)
     ) with (fillfactor = 50)`,
  ],
}
