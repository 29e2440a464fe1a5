import { blindIndexTables, deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { baseline } from './migrations/0001-baseline.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  ...blindIndexTables,
  baseline,
]
