import { deadLetterTables, type Migrations, outboxTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { parents } from './migrations/0002-parents.ts'
import { parentIndex } from './migrations/0003-parent-index.ts'
import { deletedProviders } from './migrations/0004-deleted-providers.ts'
import { removedProviders } from './migrations/0005-removed-providers.ts'
import { urgentMessages } from './migrations/0006-urgent-messages.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  foundation,
  parents,
  parentIndex,
  deletedProviders,
  removedProviders,
  urgentMessages,
]
