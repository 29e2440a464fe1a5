import type { Migration } from '@notify/database'
import { audienceTables } from '../baseline/audiences.ts'
import { catalogueTables } from '../baseline/catalogue.ts'
import { digestTables } from '../baseline/digests.ts'
import { domainTables } from '../baseline/domains.ts'
import { failureTables } from '../baseline/failures.ts'
import { inFlightTables } from '../baseline/in-flight.ts'
import { layoutTables } from '../baseline/layouts.ts'
import { mailTables } from '../baseline/mail.ts'
import { notificationTables } from '../baseline/notifications.ts'
import { preferenceTables } from '../baseline/preferences.ts'
import { providerTables } from '../baseline/providers.ts'
import { recipientTables } from '../baseline/recipients.ts'
import { tallyTables } from '../baseline/tallies.ts'

/** The tables of the first release. After it, changes are migrations of their own. */
export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    ...catalogueTables,
    ...providerTables,
    ...domainTables,
    ...notificationTables,
    ...mailTables,
    ...inFlightTables,
    ...tallyTables,
    ...preferenceTables,
    ...recipientTables,
    ...layoutTables,
    ...audienceTables,
    ...digestTables,
    ...failureTables,
  ],
}
