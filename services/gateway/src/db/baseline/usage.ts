/** What the message of each code is charged at its newest revision, and the sums of all messages by day. */
export const usageTables = [
  `create table usage_messages (
     id text primary key,
     revision int not null,
     credits int not null
   ) with (fillfactor = 80)`,
  `create table usage_days (
     tenant_id text not null,
     day date not null,
     application_id text not null,
     channel text not null,
     category text not null,
     country_prefix text not null default '',
     messages bigint not null,
     segments bigint not null default 0,
     credits bigint not null,
     primary key (tenant_id, day, application_id, channel, category, country_prefix)
   ) with (fillfactor = 50)`,
  // Of messages whose language is known.
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
  // Leads to the usage of all tenants on a day.
  'create index usage_days_by_day on usage_days (day)',
]
