/** Digests that are not sent yet. Their items are notifications. */
export const digestTables = [
  `create table digests (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     channel text not null,
     lane text not null,
     event_key text not null,
     key text not null,
     opened_at timestamptz not null,
     latest_at timestamptz not null,
     -- What updates change comes last.
     show smallint not null,
     joined int not null,
     closes_at timestamptz not null,
     due_at timestamptz not null,
     is_open boolean not null default true
   ) with (fillfactor = 50)`,
  // An item joins the open one, or begins it: only one of those who begin it at the same moment succeeds.
  `create unique index digests_open on digests (key) where is_open`,
  `create index digests_due on digests (due_at)`,
  `create index digests_closing on digests (closes_at) where not is_open`,
  `create index digests_due_of_tenant on digests (tenant_id, due_at)`,
  `create index digests_of_application on digests (application_id, id)`,
]
