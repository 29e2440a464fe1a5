/** Topics, and what people chose of them. */
export const preferenceTables = [
  `create table topics (
     tenant_id text not null,
     application_id text not null,
     topic_key text not null,
     name text not null,
     description text not null,
     kind text not null check (kind in ('required', 'on', 'off')),
     channels text[] not null,
     position int not null,
     translations jsonb not null,
     -- Null: the bootstrap document, which then still changes it.
     updated_by text,
     created_at timestamptz not null default date_trunc('milliseconds', now()),
     updated_at timestamptz not null default date_trunc('milliseconds', now()),
     primary key (application_id, topic_key)
   )`,
  // The recipient first: a send looks up the choices of one person, however many others have made some.
  `create table preferences (
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     recipient_index text not null,
     topic text not null,
     channel text not null,
     state text not null check (state in ('on', 'off')),
     frequency text check (frequency in ('instant', 'hourly', 'daily', 'weekly')),
     source text not null,
     changed_at timestamptz not null,
     primary key (recipient_index, application_id, mode, topic, channel)
   )`,
  `create table preference_changes (
     id text primary key,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     recipient_index text not null,
     topic text not null,
     channel text not null,
     before text,
     after text,
     frequency_before text,
     frequency_after text,
     source text not null,
     actor text,
     changed_at timestamptz not null
   )`,
  `create index preference_changes_of_recipient on preference_changes (recipient_index, application_id, mode, id)`,
  // Append-only: an entry may lose the person that it is about, or its index is renewed. Nothing else changes it.
  `create function keep_preference_changes() returns trigger language plpgsql set search_path from current as $$
     begin
       if tg_op = 'UPDATE' and (new.recipient_index = 'erased ' || old.id
           or exists (select from blind_index_keys where becoming is not null))
         and row(new.id, new.tenant_id, new.application_id, new.mode, new.topic, new.channel, new.before, new.after, new.frequency_before,
           new.frequency_after, new.source, new.actor, new.changed_at) is not distinct from row(old.id, old.tenant_id, old.application_id, old.mode, old.topic,
           old.channel, old.before, old.after, old.frequency_before, old.frequency_after, old.source, old.actor, old.changed_at)
       then
         return new;
       end if;
       raise exception 'changes of preferences are append-only' using errcode = 'insufficient_privilege';
     end $$`,
  `create trigger keep_preference_changes before update or delete on preference_changes
     for each row execute function keep_preference_changes()`,
  // Triggers for rows do not see a TRUNCATE.
  `create trigger keep_all_preference_changes before truncate on preference_changes
     for each statement execute function keep_preference_changes()`,
]
