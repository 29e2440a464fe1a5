import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table notifications
      add column send_at timestamptz,
      add column receipt_overdue boolean not null default false`.execute(db)
  // Whether anything is still to come. Kept by Postgres itself, so that no statement can forget it.
  await sql`
    alter table notifications add column settled boolean not null generated always as
      (status in ('delivered', 'undelivered', 'failed', 'cancelled') or receipt_overdue) stored`.execute(db)
  await sql`create index notifications_in_flight on notifications (created_at) where not settled`.execute(db)
  // How many were accepted and settled, as rows that are only added and later summed up: nothing waits for a counter.
  // The functions name their table's schema by themselves: an operator's session with another search path is counted too.
  await sql`
    create table tallies (
      id bigint generated always as identity primary key,
      accepted bigint not null,
      settled bigint not null
    )`.execute(db)
  await sql`
    create function tally_accepted() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into tallies (accepted, settled)
      select count(*), count(*) filter (where settled) from added having count(*) > 0;
      return null;
    end $$`.execute(db)
  await sql`
    create function tally_settled() returns trigger language plpgsql set search_path from current as $$
    declare change bigint;
    begin
      select (select count(*) from after where settled) - (select count(*) from before where settled) into change;
      if change <> 0 then
        insert into tallies (accepted, settled) values (0, change);
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger tally_accepted after insert on notifications
      referencing new table as added for each statement execute function tally_accepted()`.execute(db)
  await sql`
    create trigger tally_settled after update on notifications
      referencing old table as before new table as after for each statement execute function tally_settled()`.execute(
    db,
  )
}
