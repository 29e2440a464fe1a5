import type { Migration } from '@notify/database'
import { activityTables } from '../baseline/activity.ts'
import { auditTables } from '../baseline/audit.ts'
import { callerTables } from '../baseline/callers.ts'
import { counterTables } from '../baseline/counters.ts'
import { priceTables } from '../baseline/prices.ts'
import { requestTables } from '../baseline/requests.ts'
import { retryTables } from '../baseline/retries.ts'
import { usageTables } from '../baseline/usage.ts'

/** The tables of the first release. After it, changes are migrations of their own. */
export const baseline: Migration = {
  name: '0001-baseline',
  transaction: [
    ...callerTables,
    ...auditTables,
    ...usageTables,
    ...activityTables,
    ...counterTables,
    ...retryTables,
    ...requestTables,
    ...priceTables,
  ],
}
