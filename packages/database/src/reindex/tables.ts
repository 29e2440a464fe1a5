import type { Migrations } from '../migrations/migration.ts'

/** Table with one row: the fingerprint of the keys of the schema's blind indexes, and the progress of `reindex`. */
export const blindIndexTables: Migrations = [
  {
    name: 'blind-index-0001',
    transaction: [
      `create table blind_index_keys (
         id boolean primary key default true check (id),
         keys text not null,
         becoming text,
         reached jsonb not null default '{}'
       )`,
    ],
  },
]
