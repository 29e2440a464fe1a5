const columns = 'tenant_id, application_id, event_key, mode, channel, status, retryable, created_at'

const changes = {
  insert: `select ${columns}, 1 as change from after`,
  update: `select ${columns}, -1 as change from before
         union all select ${columns}, 1 from after`,
  delete: `select ${columns}, -1 as change from before`,
}

const transitions = {
  insert: 'new table as after',
  update: 'old table as before new table as after',
  delete: 'old table as before',
}

/** A batch is summed up first: its rows have few kinds and hours. The sums are sorted, so that two statements never deadlock. */
const counting = (moves: string) => `
  with sums as materialized (
    select tenant_id, application_id, event_key, mode, channel, status, retryable,
      date_trunc('hour', created_at, 'UTC') as hour, sum(change) as change
    from (${moves}) as moves group by 1, 2, 3, 4, 5, 6, 7, 8
  ), totals as (
    insert into activity_totals as known (tenant_id, event_key, application_id, mode, channel, status, retryable, count)
    select tenant_id, counted_for, application_id, mode, channel, status, retryable, sum(change)
    from sums cross join lateral unnest(array_remove(array[event_key, ''], null)) as counted_for
    group by 1, 2, 3, 4, 5, 6, 7 having sum(change) <> 0 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (tenant_id, event_key, application_id, mode, channel, status, retryable)
      do update set count = known.count + excluded.count
  )
  insert into activity_buckets as known (tenant_id, application_id, width, starts_at, mode, channel, status, count)
  select tenant_id, counted_for, width, date_trunc(width, hour, 'UTC'), mode, channel, status, sum(change)
  from sums
  cross join lateral unnest(array[application_id, '']) as counted_for
  cross join unnest(array['hour', 'day']) as width
  group by 1, 2, 3, 4, 5, 6, 7 having sum(change) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (tenant_id, application_id, width, starts_at, mode, channel, status)
    do update set count = known.count + excluded.count`

const events = ['insert', 'update', 'delete'] as const

/** Counters of the activity. Triggers keep them, so that no statement can forget them. */
export const counterTables = [
  // An empty event stands for all items, with and without one.
  `create table activity_totals (
     tenant_id text not null,
     event_key text not null,
     application_id text not null,
     mode text not null,
     channel text not null,
     status text not null,
     retryable boolean not null,
     count bigint not null,
     primary key (tenant_id, event_key, application_id, mode, channel, status, retryable)
   ) with (fillfactor = 50)`,
  // An empty application stands for all of them.
  `create table activity_buckets (
     tenant_id text not null,
     application_id text not null,
     width text not null check (width in ('hour', 'day')),
     starts_at timestamptz not null,
     mode text not null,
     channel text not null,
     status text not null,
     count bigint not null,
     primary key (tenant_id, application_id, width, starts_at, mode, channel, status)
   ) with (fillfactor = 80)`,
  ...events.flatMap((event) => [
    `create function count_activity_${event}() returns trigger language plpgsql set search_path from current as $$
     begin
       ${counting(changes[event])};
       return null;
     end $$`,
    `create trigger count_activity_${event} after ${event} on activity
       referencing ${transitions[event]} for each statement execute function count_activity_${event}()`,
  ]),
]
