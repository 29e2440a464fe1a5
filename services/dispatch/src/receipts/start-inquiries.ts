import { earliestId } from '@notify/contracts'
import { endPage, takePage } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { WorkerContext } from '../context.ts'
import { askForReceipts, inquiryPage } from './inquiry-store.ts'

/**
 * Walks all notifications at each configured age and requests missing receipts.
 * Each page is claimed by one replica.
 */
export function startInquiries(kit: Kit, context: WorkerContext): void {
  const { RECEIPT_INQUIRIES } = context.config
  const everyMs = Math.min(5000, ...RECEIPT_INQUIRIES)
  for (const ageMs of RECEIPT_INQUIRIES) {
    const walk = `receipts-${ageMs}`
    startPeriodic(kit, {
      name: `receipt inquiry ${ageMs}`,
      everyMs,
      async run() {
        const after = await takePage(context.db, walk)
        if (after === undefined) return false
        const moment = Date.now() - ageMs
        // At first, and after days of absence, no further back than callbacks keeps receipts.
        const from = [after, earliestId('notif', moment - longestMs)].toSorted().at(-1)!
        const { reached, looked, asked } = await askForReceipts(
          context.db,
          context.channels,
          from,
          earliestId('notif', moment),
        )
        const more = looked === inquiryPage
        await endPage(context.db, walk, reached ?? from, more ? 0 : everyMs)
        if (asked > 0) {
          context.metrics.receiptsAsked(asked)
          context.wakeOutbox()
        }
        return more
      },
    })
  }
}

const longestMs = 6 * 24 * 60 * 60_000
