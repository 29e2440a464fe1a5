const isWaiting = `status = 'queued' and next_attempt_at is not null`

/**
 * How many notifications were accepted, are settled, queued, and of the queued ones wait for their next attempt. Rows are only
 * inserted and summed up later, so that no writer waits for a counter.
 */
export const tallyTables = [
  `create table tallies (
     id bigint generated always as identity primary key,
     accepted bigint not null,
     settled bigint not null,
     queued bigint not null default 0,
     waiting bigint not null default 0
   )`,
  `create function tally_accepted() returns trigger language plpgsql set search_path from current as $$
     begin
       insert into tallies (accepted, settled, queued, waiting)
       select count(*), count(*) filter (where settled), count(*) filter (where status = 'queued'),
         count(*) filter (where ${isWaiting})
       from added having count(*) > 0;
       return null;
     end $$`,
  `create function tally_settled() returns trigger language plpgsql set search_path from current as $$
     begin
       insert into tallies (accepted, settled, queued, waiting)
       select 0, settled, queued, waiting from (
         select coalesce(sum(change) filter (where settled), 0) as settled,
           coalesce(sum(change) filter (where status = 'queued'), 0) as queued,
           coalesce(sum(change) filter (where ${isWaiting}), 0) as waiting
         from (
           select 1 as change, settled, status, next_attempt_at from after
           union all select -1, settled, status, next_attempt_at from before
         ) as changes
       ) as sums where settled <> 0 or queued <> 0 or waiting <> 0;
       return null;
     end $$`,
  `create trigger tally_accepted after insert on notifications
     referencing new table as added for each statement execute function tally_accepted()`,
  `create trigger tally_settled after update on notifications
     referencing old table as before new table as after for each statement execute function tally_settled()`,
  // One row: the worker that counts for all.
  `create table balance_lease (
     one boolean primary key default true check (one),
     holder text not null,
     leased_until timestamptz not null
   )`,
]
