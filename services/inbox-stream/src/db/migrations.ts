import { deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { openStreams } from './migrations/0002-open-streams.ts'
import { waitingItems } from './migrations/0003-waiting-items.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...idempotencyTables,
  ...deadLetterTables,
  foundation,
  openStreams,
  waitingItems,
]
