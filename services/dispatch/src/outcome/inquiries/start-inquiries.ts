import { earliestId } from '@notify/contracts'
import { endPage, takePage } from '@notify/database'
import { type Kit, startPeriodic } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { askForFailed } from './ask-for-failed.ts'
import { askForSent } from './ask-for-sent.ts'
import type { Inquiry } from './inquiry-sql.ts'

/** What inquiries need of the context. */
type InquiryContext = Pick<Context, 'channels' | 'config' | 'db' | 'metrics' | 'wakeOutbox'>

/** A walk over the notifications of one state; its positions sort as text. */
interface Walk {
  name: string
  /** The position of a time. */
  at(ms: number): string
  ask(after: string, untilMs: number): Promise<Inquiry>
}

/** Callbacks keeps receipts for this time. */
const longestMs = 6 * 24 * 60 * 60_000

/**
 * Requests missing receipts at each configured age: of sent messages by when they were sent, of those that failed with an
 * unknown outcome by when they were accepted. Each page is claimed by one replica.
 */
export function startInquiries(kit: Kit, context: InquiryContext): void {
  const { config, db, channels } = context
  for (const ageMs of config.RECEIPT_INQUIRIES) {
    // After a day the accuracy of a minute is enough.
    const everyMs = Math.min(ageMs, Math.max(5000, Math.min(ageMs / 30, 60_000)))
    const ofSent: Walk = {
      name: `sent-${ageMs}`,
      at: (ms) => new Date(ms).toISOString(),
      ask: (after, untilMs) => askForSent(db, channels, after, new Date(untilMs)),
    }
    const ofFailed: Walk = {
      name: `receipts-${ageMs}`,
      at: (ms) => earliestId('notif', ms),
      ask: (after, untilMs) => askForFailed(db, after, earliestId('notif', untilMs)),
    }
    for (const walk of [ofSent, ofFailed]) startWalk(kit, context, walk, { ageMs, everyMs })
  }
}

function startWalk(
  kit: Kit,
  { db, metrics, wakeOutbox }: InquiryContext,
  { name, at, ask }: Walk,
  { ageMs, everyMs }: { ageMs: number; everyMs: number },
): void {
  startPeriodic(kit, {
    name: `inquiry ${name}`,
    everyMs,
    async run() {
      const after = await takePage(db, name)
      if (after === undefined) return false
      const untilMs = Date.now() - ageMs
      // Limits the range at the first start, and after a stop of days.
      const from = [after, at(untilMs - longestMs)].toSorted().at(-1)!
      const { reached, more, asked } = await ask(from, untilMs)
      await endPage(db, name, reached ?? from, more ? 0 : everyMs)
      if (asked > 0) {
        metrics.receiptsAsked(asked)
        wakeOutbox()
      }
      return more
    },
  })
}
