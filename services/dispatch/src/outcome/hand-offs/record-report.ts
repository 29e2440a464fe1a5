import type { Channel, HandOffReport } from '@notify/contracts'
import { isUnavailable } from '@notify/database'
import { bisect, coalesce } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { planRounds } from '../receipts/fold-receipts.ts'
import { applyHandOffReports } from './report-store.ts'

/** Reports are not urgent, and a batch costs little more than a single report. */
const batch = { maxBatch: 512, maxInFlight: 2, minIntervalMs: 200 }

const handOffOf = ({ notification_id, retry_count }: HandOffReport) => `${notification_id} ${retry_count}`

export type RecordReport = (report: HandOffReport) => Promise<void>

/**
 * Handles the reports of a service on notifications handed to it, in any order and with repetitions. One that Postgres refuses
 * fails alone.
 */
export function createReportRecorder(
  { db, metrics, wakeOutbox }: Pick<Context, 'db' | 'metrics' | 'wakeOutbox'>,
  channel: Channel,
): RecordReport {
  const recordTogether = async (reports: readonly HandOffReport[]) => {
    for (const round of planRounds(reports, handOffOf)) metrics.took(await applyHandOffReports(db, channel, round))
    wakeOutbox()
    return reports.map(() => undefined)
  }
  const record = coalesce<HandOffReport, undefined>({
    ...batch,
    run: (reports) => bisect([reports], recordTogether, isUnavailable),
  })
  return async (report) => {
    metrics.receipt(channel, report.status)
    await record(report)
  }
}
