import type { Migrations } from '../migrations/migration.ts'

/** Table of the responses returned to repeated requests. */
export const idempotencyTables: Migrations = [
  {
    name: 'idempotency-0001',
    transaction: [
      `create table idempotency_keys (
         scope text not null,
         key text not null,
         fingerprint text not null,
         status smallint not null,
         response text not null,
         expires_at timestamptz not null default now() + interval '24 hours',
         primary key (scope, key)
       )`,
      'create index idempotency_keys_expires_at on idempotency_keys (expires_at)',
    ],
  },
]
