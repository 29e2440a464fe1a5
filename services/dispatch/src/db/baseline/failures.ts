/** What carriers refused or reported as lost, by hour. */
export const failureTables = [
  `create table failure_hours (
     tenant_id text not null,
     hour timestamptz not null,
     provider_id text not null,
     channel text not null,
     mode text not null,
     code text not null,
     failures bigint not null,
     reason text,
     primary key (tenant_id, hour, provider_id, channel, mode, code)
   ) with (fillfactor = 80)`,
  'create index failure_hours_by_time on failure_hours (hour)',
]
