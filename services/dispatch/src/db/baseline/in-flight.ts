const kept = ['id', 'lane', 'channel', 'created_at', 'tenant_id', 'application_id', 'mode']
const followed = ['status', 'settled', 'enqueued_at', 'next_attempt_at', 'expires_at']
const columns = [...kept, ...followed]

/** Null once the payload is erased: then nothing is left to do at this time. */
const expiresAt = (row: string) => `case when ${row}.payload is not null then ${row}.expires_at end`
/** The columns of a notification, as they are followed. */
const valuesOf = (row: string, names: readonly string[]) =>
  names.map((name) => (name === 'expires_at' ? expiresAt(row) : `${row}.${name}`))

/** Whether anything is still to be done: to send, to wait for a receipt, or to erase. */
const isOpen = (row: string) => `(not ${row}.settled or ${expiresAt(row)} is not null)`

/**
 * The open notifications, with the indexes that lead to them: as indexes of `notifications` each change of state would write all of
 * them. Triggers keep the table, so that no statement can forget it.
 */
export const inFlightTables = [
  `create table in_flight (
     id text primary key,
     lane text not null,
     channel text not null,
     created_at timestamptz not null,
     tenant_id text not null,
     application_id text not null,
     mode text not null,
     -- What updates change comes last, as in the notifications.
     status text not null,
     settled boolean not null,
     -- Since when it has this status.
     since timestamptz not null,
     enqueued_at timestamptz not null,
     next_attempt_at timestamptz,
     expires_at timestamptz
   ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  // Leads to the oldest message of each application, and from one application to the next. The only one over what may be sent: the
  // planner would read another tenant's backlog by an index that names no application.
  `create index in_flight_ready on in_flight (lane, channel, application_id, mode, enqueued_at)
     where status = 'queued' and next_attempt_at is null`,
  `create index in_flight_sent on in_flight (since) where status = 'sent' and not settled`,
  `create index in_flight_due on in_flight (next_attempt_at) where next_attempt_at is not null`,
  `create index in_flight_due_of_tenant on in_flight (lane, tenant_id, next_attempt_at) where next_attempt_at is not null`,
  `create index in_flight_expiring on in_flight (expires_at) where expires_at is not null`,
  `create index in_flight_expiring_of_tenant on in_flight (lane, tenant_id, expires_at) where expires_at is not null`,
  // Functions name their schema themselves: they also work in an operator's session, whose search path is another.
  `create function follow_accepted() returns trigger language plpgsql set search_path from current as $$
     begin
       insert into in_flight (${columns.join(', ')}, since)
         select ${valuesOf('added', columns).join(', ')}, updated_at from added where ${isOpen('added')};
       return null;
     end $$`,
  `create function follow_changed() returns trigger language plpgsql set search_path from current as $$
     begin
       merge into in_flight f using after n on f.id = n.id
       when matched and not ${isOpen('n')} then delete
       when matched and (${followed.map((name) => `f.${name}`).join(', ')}) is distinct from (${valuesOf('n', followed).join(', ')}) then
         update set (${followed.join(', ')}) = row (${valuesOf('n', followed).join(', ')}),
           since = case when f.status = n.status then f.since else n.updated_at end
       when not matched and ${isOpen('n')} then
         insert (${columns.join(', ')}, since) values (${valuesOf('n', columns).join(', ')}, n.updated_at);
       return null;
     end $$`,
  `create trigger follow_accepted after insert on notifications
     referencing new table as added for each statement execute function follow_accepted()`,
  `create trigger follow_changed after update on notifications
     referencing new table as after for each statement execute function follow_changed()`,
  `create table held_queues (
     application_id text not null,
     channel text not null,
     mode text not null,
     since timestamptz not null default now(),
     primary key (application_id, channel, mode)
   )`,
]
