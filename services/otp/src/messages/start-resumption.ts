import { type Kit, Problem, startClaiming, withLogFields } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { claimMessages, messagesDueInMs } from './claim-messages.ts'
import type { Message } from './message-store.ts'
import { handOverMessage } from './send-message.ts'

/** Shorter than the time that a message waits for its request. */
const everyMs = 5000
/** Beside slow messages of a tenant, the next ones of another wait this long. */
const atLeastMs = 100

/** Hands over messages whose requests did not, because the process died or dispatch did not answer. */
export function startResumption(kit: Kit, context: Context): void {
  startClaiming<Message>(kit, {
    name: 'message resumption',
    everyMs,
    atLeastMs,
    async claim(inHand) {
      const dueInMs = await messagesDueInMs(context.db)
      return dueInMs > 0 ? dueInMs : claimMessages(context.db, inHand)
    },
    work: (message) => {
      const { tenant_id, notification_id, traceparent } = message
      return withLogFields({ tenant_id, notification_id, traceparent }, () => resume(context, message))
    },
  })
}

async function resume(context: Context, message: Message): Promise<void> {
  try {
    await handOverMessage(context, message)
  } catch (error) {
    // A refusal is settled; without an answer the message is claimed again later.
    if (!(error instanceof Problem)) throw error
  }
}
