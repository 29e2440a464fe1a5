import { webhookReported } from '@notify/contracts'
import { defineStatement, enqueueSql, type Queries } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'

/** Most deliveries end sooner, and their outcome says more. Up to twice as long. */
const afterMs = 500
/** Without hand-offs. */
const idleMs = 60_000
/** Reports in one statement. */
const mostAtOnce = 256

export const reportSent = defineStatement({
  name: 'report-sent',
  text: enqueueSql(
    webhookReported,
    `(select * from deliveries where id = any($1) and subscription_id is null and status = 'pending') as waiting`,
    `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'sent',
      'failure_reason', null, 'retryable', false)`,
  ),
})

/** Hand-offs that are stored and not reported yet. */
export interface Unreported {
  add(deliveryIds: Iterable<string>): void
  /** The outcome of a delivery is reported. */
  ended(deliveryId: string): void
}

/**
 * Reports hand-offs as `sent` that have no outcome within a second. They are kept in memory alone: dispatch hands over again what
 * nobody reported on, which reports it.
 */
export function startSentReports(kit: Kit, { db, wakeOutbox }: { db: Queries; wakeOutbox(): void }): Unreported {
  let young = new Set<string>()
  let old = new Set<string>()
  const flush = async () => {
    while (old.size > 0) {
      const some = [...old].slice(0, mostAtOnce)
      await db.run(reportSent, [some])
      wakeOutbox()
      for (const id of some) old.delete(id)
    }
    old = young
    young = new Set()
  }
  kit.lifecycle.onStop('last sent reports', async () => {
    await flush()
    await flush()
  })
  const reports = startPeriodic(kit, {
    name: 'sent reports',
    everyMs: idleMs,
    atLeastMs: afterMs,
    async run() {
      await flush()
      return old.size > 0 ? afterMs : idleMs
    },
  })
  return {
    add(deliveryIds) {
      for (const id of deliveryIds) young.add(id)
      reports.stir()
    },
    ended(deliveryId) {
      young.delete(deliveryId)
      old.delete(deliveryId)
    },
  }
}
