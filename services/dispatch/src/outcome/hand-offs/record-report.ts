import type { Channel, HandOffReport } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { planRounds } from '../receipts/fold-receipts.ts'
import { applyHandOffReports } from './report-store.ts'

/** Nobody waits for a report, and a batch costs little more than one of them. */
const batch = { maxBatch: 512, maxInFlight: 2, minIntervalMs: 200 }

const handOffOf = ({ notification_id, retry_count }: HandOffReport) => `${notification_id} ${retry_count}`

export type RecordReport = (report: HandOffReport) => Promise<void>

/** Handles what a service reports of the notifications handed to it; the same report may come twice and in any order. */
export function createReportRecorder(
  { db, metrics, wakeOutbox }: Pick<Context, 'db' | 'metrics' | 'wakeOutbox'>,
  channel: Channel,
): RecordReport {
  const record = coalesce<HandOffReport, undefined>({
    ...batch,
    async run(reports) {
      for (const round of planRounds(reports, handOffOf)) metrics.took(await applyHandOffReports(db, channel, round))
      wakeOutbox()
      return reports.map(() => undefined)
    },
  })
  return async (report) => {
    metrics.receipt(channel, report.status)
    await record(report)
  }
}
