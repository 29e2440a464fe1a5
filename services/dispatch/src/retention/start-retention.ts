import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { createEndedDeletion, endedBefore } from './retention-store.ts'

const everyMs = 60_000

/** Deletes notifications `PAYLOAD_RETENTION` after their end. Safe in any number of replicas. */
export function startRetention(kit: Kit, { config, db, metrics }: Pick<Context, 'config' | 'db' | 'metrics'>): void {
  const deleteEnded = createEndedDeletion(db)
  startPeriodic(kit, {
    name: 'notification retention',
    everyMs,
    async run() {
      const { deleted, more } = await deleteEnded(await endedBefore(db, config.PAYLOAD_RETENTION))
      metrics.deleted(deleted)
      return more
    },
  })
}
