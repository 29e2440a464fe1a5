import type { Migration } from '@notify/database'

/**
 * How many wait to be sent, counted by the same rows as accepted and settled. What is queued already is added by the next scan of the
 * balance, which corrects the counter: counting it here would keep every writer waiting.
 */
export const tallyQueued: Migration = {
  name: '0017-tally-queued',
  transaction: [
    'alter table tallies add column queued bigint not null default 0',
    `create or replace function tally_accepted() returns trigger language plpgsql set search_path from current as $$
       begin
         insert into tallies (accepted, settled, queued)
         select count(*), count(*) filter (where settled), count(*) filter (where status = 'queued') from added
         having count(*) > 0;
         return null;
       end $$`,
    `create or replace function tally_settled() returns trigger language plpgsql set search_path from current as $$
       begin
         insert into tallies (accepted, settled, queued)
         select 0, coalesce(sum(change) filter (where settled), 0), coalesce(sum(change) filter (where status = 'queued'), 0)
         from (select 1 as change, settled, status from after union all select -1, settled, status from before) as changes
         having coalesce(sum(change) filter (where settled), 0) <> 0
           or coalesce(sum(change) filter (where status = 'queued'), 0) <> 0;
         return null;
       end $$`,
  ],
}
