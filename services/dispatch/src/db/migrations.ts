import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { baseline } from './migrations/0001-baseline.ts'
import { immutableVersions } from './migrations/0002-immutable-versions.ts'
import { providerWeights } from './migrations/0003-provider-weights.ts'
import { carrierIds } from './migrations/0004-carrier-ids.ts'
import { carrierDomains } from './migrations/0005-carrier-domains.ts'
import { eventTranslations } from './migrations/0006-event-translations.ts'
import { versionTranslations } from './migrations/0007-version-translations.ts'
import { templateTranslations } from './migrations/0008-template-translations.ts'
import { notificationLocales } from './migrations/0009-notification-locales.ts'
import { copies } from './migrations/0010-copies.ts'
import { attachments } from './migrations/0011-attachments.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  ...walkTables,
  baseline,
  immutableVersions,
  providerWeights,
  carrierIds,
  carrierDomains,
  eventTranslations,
  versionTranslations,
  templateTranslations,
  notificationLocales,
  copies,
  attachments,
]
