import { type Kit, Problem, startPeriodic, withLogFields } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { claimMessages, messagesDueInMs } from './claim-messages.ts'
import type { Message } from './message-store.ts'
import { handOverMessage } from './send-message.ts'

/** Shorter than the time that a message waits for its request. */
const everyMs = 5000
const atLeastMs = 500

/** Hands over messages whose requests did not, because the process died or dispatch did not answer. */
export function startResumption(kit: Kit, context: Context): void {
  startPeriodic(kit, {
    name: 'message resumption',
    everyMs,
    atLeastMs,
    async run() {
      const dueInMs = await messagesDueInMs(context.db)
      if (dueInMs > 0) return dueInMs
      const resume = (message: Message) => {
        const { tenant_id, notification_id, traceparent } = message
        return withLogFields({ tenant_id, notification_id, traceparent }, () => handOverMessage(context, message))
      }
      const messages = await claimMessages(context.db)
      for (const result of await Promise.allSettled(messages.map(resume))) {
        if (result.status === 'fulfilled') continue
        // A refusal is settled; without an answer the message is claimed again later.
        if (!(result.reason instanceof Problem)) throw result.reason
      }
      return messages.length > 0
    },
  })
}
