import type { Migration } from '@notify/database'

/** A published version never changes. One of the bootstrap document, which nobody has published, follows that document. */
export const immutableVersions: Migration = {
  name: '0002-immutable-versions',
  transaction: [
    `create function keep_event_versions() returns trigger language plpgsql as $$
       begin
         if tg_op = 'UPDATE' and old.published_by is null
           and row(new.tenant_id, new.application_id, new.event_key, new.version, new.published_by, new.published_at)
             is not distinct from row(old.tenant_id, old.application_id, old.event_key, old.version, null, old.published_at)
         then
           return new;
         end if;
         raise exception 'versions of events are append-only' using errcode = 'insufficient_privilege';
       end $$`,
    `create trigger keep_event_versions before update or delete on event_versions
       for each row execute function keep_event_versions()`,
    // Triggers for rows do not see a TRUNCATE.
    `create trigger keep_all_event_versions before truncate on event_versions
       for each statement execute function keep_event_versions()`,
  ],
}
