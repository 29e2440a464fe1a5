import { deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { applications } from './migrations/0002-applications.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  foundation,
  applications,
]
