import type { Migrations } from '../migrations/migration.ts'

/** Table of events removed from their streams without being handled. */
export const deadLetterTables: Migrations = [
  {
    name: 'dead-letters-0001',
    transaction: [
      `create table dead_letters (
         id uuid primary key default uuidv7(),
         durable text not null,
         owner text not null default '',
         event_id text not null,
         subject text not null,
         event text not null,
         whole_message boolean not null,
         traceparent text,
         reason text not null,
         state text not null check (state in ('waiting', 'dead', 'replaying', 'replayed', 'discarded')),
         tries int not null default 0,
         next_try_at timestamptz,
         retry_until timestamptz not null default now(),
         created_at timestamptz not null default now(),
         updated_at timestamptz not null default now(),
         unique (durable, event_id)
       )`,
      'create index dead_letters_due on dead_letters (next_try_at) where next_try_at is not null',
      'create index dead_letters_due_of_owner on dead_letters (owner, next_try_at) where next_try_at is not null',
      'create index dead_letters_listed on dead_letters (state, durable, id)',
      `create index dead_letters_settled on dead_letters (updated_at) where state in ('replayed', 'discarded')`,
    ],
  },
]
