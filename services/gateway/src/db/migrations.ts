import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { auditLog } from './migrations/0002-audit-log.ts'
import { applicationSettings } from './migrations/0003-application-settings.ts'
import { applicationsByTenant } from './migrations/0004-applications-by-tenant.ts'
import { keyExpiry } from './migrations/0005-key-expiry.ts'
import { keysByApplication } from './migrations/0006-keys-by-application.ts'
import { usage } from './migrations/0007-usage.ts'
import { activityTotals } from './migrations/0008-activity-totals.ts'
import { activityByTime } from './migrations/0009-activity-by-time.ts'
import { activityByKind } from './migrations/0010-activity-by-kind.ts'
import { activityByEvent } from './migrations/0011-activity-by-event.ts'
import { activityByRecipient } from './migrations/0012-activity-by-recipient.ts'
import { activityUncounted } from './migrations/0013-activity-uncounted.ts'
import { countActivity } from './migrations/0014-count-activity.ts'
import { activityOldIndexes } from './migrations/0015-activity-old-indexes.ts'
import { retryJobs } from './migrations/0016-retry-jobs.ts'
import { activityOfKind } from './migrations/0017-activity-of-kind.ts'
import { activityOfEvent } from './migrations/0018-activity-of-event.ts'
import { activityOfRecipient } from './migrations/0019-activity-of-recipient.ts'
import { activityWideIndexes } from './migrations/0020-activity-wide-indexes.ts'
import { usageByDay } from './migrations/0021-usage-by-day.ts'
import { keyChanges } from './migrations/0022-key-changes.ts'
import { keyPredecessors } from './migrations/0023-key-predecessors.ts'

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
  activityTotals,
  activityByTime,
  activityByKind,
  activityByEvent,
  activityByRecipient,
  activityUncounted,
  countActivity,
  activityOldIndexes,
  retryJobs,
  activityOfKind,
  activityOfEvent,
  activityOfRecipient,
  activityWideIndexes,
  usageByDay,
  keyChanges,
  keyPredecessors,
]
