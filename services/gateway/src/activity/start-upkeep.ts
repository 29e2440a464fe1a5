import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { createItemDeletion, deleteEmptyBuckets, endOldRetries } from './retention-store.ts'

const everyMs = 60_000
const rarelyMs = 3_600_000

/** Deletes items older than `ACTIVITY_RETENTION`, and ends retries after `PAYLOAD_RETENTION`. Safe in any number of replicas. */
export function startActivityUpkeep(kit: Kit, { db, config }: Context): void {
  const olderThanMs = config.ACTIVITY_RETENTION
  const deleteOldItems = createItemDeletion(db)
  startPeriodic(kit, { name: 'activity retention', everyMs, run: () => deleteOldItems(olderThanMs) })
  startPeriodic(kit, {
    name: 'activity counter retention',
    everyMs: rarelyMs,
    run: () => deleteEmptyBuckets(db, olderThanMs),
  })
  startPeriodic(kit, {
    name: 'end of old retries',
    everyMs: rarelyMs,
    run: () => endOldRetries(db, config.PAYLOAD_RETENTION),
  })
}
