/** The changes of management data of all services. */
export const auditTables = [
  `create table audit_log (
     id text primary key,
     tenant_id text not null,
     application_id text,
     occurred_at timestamptz not null,
     actor_kind text not null,
     actor_id text not null,
     action text not null,
     resource_type text not null,
     resource_id text not null,
     before jsonb,
     after jsonb,
     request_id text,
     recorded_at timestamptz not null default now()
   )`,
  'create index audit_log_newest on audit_log (tenant_id, id desc)',
  'create index audit_log_by_resource on audit_log (tenant_id, resource_id, id desc)',
  'create index audit_log_by_actor on audit_log (tenant_id, actor_id, id desc)',
  'create index audit_log_by_application on audit_log (tenant_id, application_id, id desc)',
  // Append-only, also for a session with the role of this service.
  `create function refuse_change() returns trigger language plpgsql as $$
     begin
       raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
     end $$`,
  `create trigger audit_log_append_only before update or delete or truncate on audit_log
     for each statement execute function refuse_change()`,
]
