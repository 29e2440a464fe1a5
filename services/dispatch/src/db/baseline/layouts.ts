/** Layouts of emails. Those who use one are found among the tenant's events and templates. */
export const layoutTables = [
  `create table layouts (
     id text primary key,
     tenant_id text not null,
     application_id text,
     name text not null,
     html_body text not null,
     body text,
     translations jsonb,
     version int not null default 1,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     updated_at timestamptz not null default date_trunc('milliseconds', now())
   )`,
  `create index layouts_tenant on layouts (tenant_id, id)`,
  // The current version is among them. They never change, and the oldest go.
  `create table layout_versions (
     tenant_id text not null,
     layout_id text not null,
     version int not null,
     application_id text,
     name text not null,
     html_body text not null,
     body text,
     translations jsonb,
     saved_by text not null,
     saved_at timestamptz not null,
     primary key (layout_id, version)
   )`,
  `create function layouts_used(templates jsonb, translations jsonb, draft jsonb) returns jsonb
     language sql immutable parallel safe
     return jsonb_path_query_array(coalesce(templates, '{}'), '$.email.layout_id')
       || jsonb_path_query_array(coalesce(translations, '{}'), '$.*.email.layout_id')
       || jsonb_path_query_array(coalesce(draft, '{}'), '$.templates.email.layout_id')
       || jsonb_path_query_array(coalesce(draft, '{}'), '$.translations.*.email.layout_id')`,
]
