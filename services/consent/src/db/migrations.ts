import { deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { users } from './migrations/0002-users.ts'
import { erasure } from './migrations/0003-erasure.ts'
import { keepLedger } from './migrations/0004-keep-ledger.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  foundation,
  users,
  erasure,
  keepLedger,
]
