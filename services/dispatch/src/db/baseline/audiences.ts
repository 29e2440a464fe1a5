/** Lists of users, and what is sent to all members of one. */
export const audienceTables = [
  `create table ended_applications (
     application_id text primary key,
     tenant_id text not null,
     ended_at timestamptz not null default now(),
     emptied_at timestamptz
   )`,
  `create index ended_applications_left on ended_applications (ended_at) where emptied_at is null`,
  `create table lists (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     name text not null,
     member_count int not null default 0,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     updated_at timestamptz not null default date_trunc('milliseconds', now()),
     -- Its members are deleted after it.
     deleted_at timestamptz
   ) with (fillfactor = 80)`,
  `create index lists_of_application on lists (tenant_id, application_id, mode, id) where deleted_at is null`,
  `create index lists_deleted on lists (deleted_at) where deleted_at is not null`,
  `create table list_members (
     -- List and index of the user id: broadcasts read the members in this order.
     id text collate "C" primary key,
     tenant_id text not null,
     list_id text not null,
     user_index text not null,
     content bytea not null,
     added_at timestamptz not null default now()
   )`,
  // For the erasure of a person.
  `create index list_members_by_user on list_members (user_index)`,
  `create table broadcasts (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     list_id text not null,
     channel text not null,
     event_key text,
     request bytea not null,
     default_locale text,
     default_time_zone text,
     total int not null,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     status text not null default 'running' check (status in ('running', 'paused', 'cancelled', 'completed')),
     -- Pages that are accepted, and the last member who is accepted or refused.
     pages int not null default 0,
     reached text collate "C",
     accepted int not null default 0,
     refusals jsonb not null default '{}',
     next_page_at timestamptz default now(),
     -- How often a page was claimed.
     claims int not null default 0,
     updated_at timestamptz not null default date_trunc('milliseconds', now()),
     finished_at timestamptz
   ) with (fillfactor = 50)`,
  `create index broadcasts_due on broadcasts (tenant_id, next_page_at) where next_page_at is not null`,
  `create index broadcasts_of_tenant on broadcasts (tenant_id, id)`,
  `create index broadcasts_ended on broadcasts (finished_at) where finished_at is not null`,
  `create index broadcasts_open on broadcasts (tenant_id) where status in ('running', 'paused')`,
]
