import { deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'

export const migrations: Migrations = [...outboxTables, ...idempotencyTables, ...deadLetterTables, foundation]
