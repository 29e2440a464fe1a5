import type { Migration } from '@notify/database'

const isWaiting = `status = 'queued' and next_attempt_at is not null`

/**
 * How many of the queued ones wait for their next attempt: nobody could send those now, so they must not wake anybody or start workers.
 * What waits already is added by the next scan of the balance.
 */
export const tallyWaiting: Migration = {
  name: '0018-tally-waiting',
  transaction: [
    'alter table tallies add column waiting bigint not null default 0',
    `create or replace function tally_accepted() returns trigger language plpgsql set search_path from current as $$
       begin
         insert into tallies (accepted, settled, queued, waiting)
         select count(*), count(*) filter (where settled), count(*) filter (where status = 'queued'),
           count(*) filter (where ${isWaiting})
         from added having count(*) > 0;
         return null;
       end $$`,
    `create or replace function tally_settled() returns trigger language plpgsql set search_path from current as $$
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
  ],
}
