import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { baseline } from './migrations/0001-baseline.ts'
import { immutableVersions } from './migrations/0002-immutable-versions.ts'
import { providerWeights } from './migrations/0003-provider-weights.ts'
import { carrierIds } from './migrations/0004-carrier-ids.ts'
import { carrierDomains } from './migrations/0005-carrier-domains.ts'

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
]
