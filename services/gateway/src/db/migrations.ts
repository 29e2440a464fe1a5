import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { auditLog } from './migrations/0002-audit-log.ts'
import { applicationSettings } from './migrations/0003-application-settings.ts'
import { applicationsByTenant } from './migrations/0004-applications-by-tenant.ts'
import { keyExpiry } from './migrations/0005-key-expiry.ts'
import { keysByApplication } from './migrations/0006-keys-by-application.ts'
import { usage } from './migrations/0007-usage.ts'

export const migrations: Migrations = [
  ...deadLetterTables,
  ...walkTables,
  foundation,
  ...outboxTables,
  ...idempotencyTables,
  auditLog,
  applicationSettings,
  applicationsByTenant,
  keyExpiry,
  keysByApplication,
  usage,
]
