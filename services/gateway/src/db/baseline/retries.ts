/** Jobs that retry items of the activity. */
export const retryTables = [
  `create table retry_jobs (
     id text primary key,
     tenant_id text not null,
     requested_by text not null,
     filters jsonb not null,
     count int not null,
     count_capped boolean not null,
     processed int not null default 0,
     retried int not null default 0,
     skipped int not null default 0,
     reached_at timestamptz,
     reached_id text,
     -- The items under way: retried again with the same keys if the worker dies.
     page text[],
     claims int not null default 0,
     next_at timestamptz,
     cancelled boolean not null default false,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     finished_at timestamptz
   ) with (fillfactor = 70)`,
  'create index retry_jobs_tenant on retry_jobs (tenant_id, id)',
  'create index retry_jobs_unfinished on retry_jobs (tenant_id, id) where finished_at is null',
  'create index retry_jobs_due on retry_jobs (next_at) where next_at is not null',
]
