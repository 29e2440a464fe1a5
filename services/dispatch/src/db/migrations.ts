import type { Migrations } from '@notify/database'
import * as foundation from './migrations/0001-foundation.ts'
import * as domains from './migrations/0002-domains.ts'
import * as suppressions from './migrations/0003-suppressions.ts'
import * as templates from './migrations/0004-templates.ts'
import * as scheduleAndTally from './migrations/0005-schedule-and-tally.ts'
import * as streamLosses from './migrations/0006-stream-losses.ts'
import * as failoverAndRate from './migrations/0007-failover-and-rate.ts'
import * as sealedMetadata from './migrations/0008-sealed-metadata.ts'

export const migrations: Migrations = {
  '0001-foundation': foundation,
  '0002-domains': domains,
  '0003-suppressions': suppressions,
  '0004-templates': templates,
  '0005-schedule-and-tally': scheduleAndTally,
  '0006-stream-losses': streamLosses,
  '0007-failover-and-rate': failoverAndRate,
  '0008-sealed-metadata': sealedMetadata,
}
