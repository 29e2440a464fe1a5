import type { Migration } from '@notify/database'

/** The latest hand-off to each recipient of a channel that keeps their order: the next one names it. */
export const handOffTails: Migration = {
  name: '0022-hand-off-tails',
  transaction: [
    `create table hand_off_tails (
         recipient_index text collate "C" not null,
         application_id text collate "C" not null,
         mode text collate "C" not null,
         lane text collate "C" not null,
         channel text collate "C" not null,
         last_id text not null,
         placed_at timestamptz not null default now(),
         primary key (recipient_index, application_id, mode, lane, channel)
       ) with (fillfactor = 50)`,
  ],
}
