import type { Migration } from '@notify/database'

/** Unlogged: what a crash of Postgres empties is written again by the replicas that hold the streams. */
export const openStreams: Migration = {
  name: '0002-open-streams',
  transaction: [
    `create unlogged table stream_replicas (
       id text primary key,
       seen_at timestamptz not null default now()
     )`,
    `create unlogged table open_streams (
       inbox_key text collate "C" not null,
       replica_id text not null,
       streams int not null,
       primary key (inbox_key, replica_id)
     )`,
    'create index open_streams_of_replica on open_streams (replica_id)',
  ],
}
