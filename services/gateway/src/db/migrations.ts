import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { baseline } from './migrations/0001-baseline.ts'
import { defaultLocales } from './migrations/0002-default-locales.ts'
import { activityLocales } from './migrations/0003-activity-locales.ts'
import { activityOfLocale } from './migrations/0004-activity-of-locale.ts'
import { usageLocales } from './migrations/0005-usage-locales.ts'
import { tenantMoves } from './migrations/0006-tenant-moves.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  ...walkTables,
  baseline,
  defaultLocales,
  activityLocales,
  activityOfLocale,
  usageLocales,
  tenantMoves,
]
