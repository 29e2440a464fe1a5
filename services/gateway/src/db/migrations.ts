import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { auditLog } from './migrations/0002-audit-log.ts'

export const migrations: Migrations = [
  ...deadLetterTables,
  ...walkTables,
  foundation,
  ...outboxTables,
  ...idempotencyTables,
  auditLog,
]
