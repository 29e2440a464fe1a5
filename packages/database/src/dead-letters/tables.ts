import type { Migrations } from '../migrations/migration.ts'

/** Table of events removed from their streams without being handled. */
export const deadLetterTables: Migrations = [
  {
    name: 'dead-letters-0001',
    transaction: [
      `create table dead_letters (
         id uuid primary key default uuidv7(),
         durable text not null,
         event_id text not null,
         subject text not null,
         event text not null,
         whole_message boolean not null,
         traceparent text,
         reason text not null,
         state text not null check (state in ('waiting', 'dead', 'replaying', 'replayed')),
         tries int not null default 0,
         next_try_at timestamptz,
         retry_until timestamptz not null default now(),
         created_at timestamptz not null default now(),
         updated_at timestamptz not null default now(),
         unique (durable, event_id)
       )`,
      'create index dead_letters_due on dead_letters (next_try_at) where next_try_at is not null',
      'create index dead_letters_listed on dead_letters (state, durable, id)',
    ],
  },
  {
    name: 'dead-letters-0002',
    transaction: [
      `alter table dead_letters drop constraint dead_letters_state_check,
         add constraint dead_letters_state_check
           check (state in ('waiting', 'dead', 'replaying', 'replayed', 'discarded')) not valid`,
    ],
  },
  {
    name: 'dead-letters-0003',
    transaction: ['alter table dead_letters validate constraint dead_letters_state_check'],
  },
  {
    name: 'dead-letters-0004',
    index: {
      name: 'dead_letters_settled',
      on: `on dead_letters (updated_at) where state in ('replayed', 'discarded')`,
    },
  },
]
