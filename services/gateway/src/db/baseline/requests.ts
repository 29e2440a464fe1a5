/** The log of requests with API keys, kept for a week. */
export const requestTables = [
  `create table api_requests (
     tenant_id text not null,
     application_id text not null,
     id text not null,
     mode text not null,
     requested_at timestamptz not null,
     request_id text not null,
     key_id text not null,
     method text not null,
     path text not null,
     status smallint not null,
     code text,
     duration_ms int not null,
     primary key (tenant_id, application_id, id)
   )`,
  'create index api_requests_by_time on api_requests (requested_at)',
  'create index api_requests_refused on api_requests (tenant_id, application_id, id) where status >= 400',
  // A row is written once, and few a second of each tenant: each filter may have its index.
  'create index api_requests_of_key on api_requests (tenant_id, application_id, key_id, id)',
  'create index api_requests_of_mode on api_requests (tenant_id, application_id, mode, id)',
  'create index api_requests_of_code on api_requests (tenant_id, application_id, code, id) where code is not null',
  'create index api_requests_of_id on api_requests (tenant_id, request_id)',
  // What was not stored, because a tenant made many requests at once.
  `create table api_request_counts (
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     hour timestamptz not null,
     status smallint not null,
     code text not null,
     requests bigint not null,
     primary key (tenant_id, application_id, mode, hour, status, code)
   ) with (fillfactor = 80)`,
  'create index api_request_counts_by_time on api_request_counts (hour)',
]
