import { deadLetterTables, idempotencyTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { deletedProviders } from './migrations/0002-deleted-providers.ts'
import { toldProviders } from './migrations/0003-told-providers.ts'
import { recipientIndex } from './migrations/0004-recipient-index.ts'
import { releaseEndpoints } from './migrations/0005-release-endpoints.ts'
import { olderSecrets } from './migrations/0006-older-secrets.ts'
import { reservedProviders } from './migrations/0007-reserved-providers.ts'
import { providersReserved } from './migrations/0008-providers-reserved.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...idempotencyTables,
  ...deadLetterTables,
  foundation,
  deletedProviders,
  toldProviders,
  recipientIndex,
  releaseEndpoints,
  olderSecrets,
  reservedProviders,
  providersReserved,
]
