import { deadLetterTables, idempotencyTables, type Migrations, outboxTables, walkTables } from '@notify/database'
import { foundation } from './migrations/0001-foundation.ts'
import { expiry } from './migrations/0002-expiry.ts'
import { expiring } from './migrations/0003-expiring.ts'
import { carrierTemplates } from './migrations/0004-carrier-templates.ts'
import { eventVersions } from './migrations/0005-event-versions.ts'
import { providerChanges } from './migrations/0006-provider-changes.ts'
import { providerAccounts } from './migrations/0007-provider-accounts.ts'
import { notificationCategory } from './migrations/0008-notification-category.ts'
import { reads } from './migrations/0009-reads.ts'
import { subscriptionProviders } from './migrations/0010-subscription-providers.ts'
import { notificationsByRecipient } from './migrations/0011-notifications-by-recipient.ts'
import { balanceLease } from './migrations/0012-balance-lease.ts'
import { inFlight } from './migrations/0013-in-flight.ts'
import { fillInFlight } from './migrations/0014-fill-in-flight.ts'
import { notificationsStates } from './migrations/0015-notifications-states.ts'
import { notificationsOldIndexes } from './migrations/0016-notifications-old-indexes.ts'
import { tallyQueued } from './migrations/0017-tally-queued.ts'
import { tallyWaiting } from './migrations/0018-tally-waiting.ts'
import { sendQueues } from './migrations/0019-send-queues.ts'
import { fillSendQueues } from './migrations/0020-fill-send-queues.ts'
import { inFlightReady } from './migrations/0021-in-flight-ready.ts'
import { handOffTails } from './migrations/0022-hand-off-tails.ts'

export const migrations: Migrations = [
  ...outboxTables,
  ...deadLetterTables,
  ...idempotencyTables,
  ...walkTables,
  foundation,
  expiry,
  expiring,
  carrierTemplates,
  eventVersions,
  providerChanges,
  providerAccounts,
  notificationCategory,
  reads,
  subscriptionProviders,
  notificationsByRecipient,
  balanceLease,
  inFlight,
  fillInFlight,
  notificationsStates,
  notificationsOldIndexes,
  tallyQueued,
  tallyWaiting,
  sendQueues,
  fillSendQueues,
  inFlightReady,
  handOffTails,
]
