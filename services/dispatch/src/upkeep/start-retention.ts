import { setTimeout as delay } from 'node:timers/promises'
import { endedBefore } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { createFailureDeletion } from '../outcome/failures/failure-store.ts'
import { createEndedDeletion } from './retention-store.ts'

const everyMs = 60_000
/** A backlog, such as that of a shorter retention, takes this share of the time of one connection; what is sent now comes first. */
const largestShare = 0.25
const longestPauseMs = 2000

/** Deletes notifications `PAYLOAD_RETENTION` after their end. Safe in any number of replicas. */
export function startRetention(kit: Kit, { config, db, metrics }: Pick<Context, 'config' | 'db' | 'metrics'>): void {
  const deleteEnded = createEndedDeletion(db)
  startPeriodic(kit, { name: 'failure count retention', everyMs: everyMs * 10, run: createFailureDeletion(db) })
  startPeriodic(kit, {
    name: 'notification retention',
    everyMs,
    async run() {
      const before = await endedBefore(db, config.PAYLOAD_RETENTION)
      const startedMs = performance.now()
      const { deleted, more } = await deleteEnded(before)
      metrics.deleted(deleted)
      const tookMs = performance.now() - startedMs
      if (more) await delay(Math.min(longestPauseMs, tookMs / largestShare - tookMs))
      return more
    },
  })
}
