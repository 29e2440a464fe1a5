import type { CallbackSender } from '../callbacks/callback-sender.ts'
import type { Reporter } from '../callbacks/reporter.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { TwilioAccount } from './account.ts'
import type { Step } from './deviations.ts'
import { statusCallback } from './status-callback.ts'

/** A message under way and the URL of its status callback. */
export interface Report {
  account: TwilioAccount
  message: LoggedMessage
  /** Where the callbacks go; without one the message only changes its state. */
  callbackUrl: string | undefined
  steps: readonly Step[]
}

/** Takes a message through its states and sends the callback of each. */
export function reportStatus(
  reporter: Reporter,
  sender: CallbackSender,
  { account, message, callbackUrl, steps }: Report,
): Promise<void> {
  return reporter.report(steps, async (step) => {
    advance(message, step)
    if (callbackUrl) await sender.send(statusCallback(account, callbackUrl, message, step))
  })
}

/** A final state stays, even if later callbacks follow. */
function advance(message: LoggedMessage, step: Step): void {
  message.sent_at ??= new Date().toISOString()
  if (message.status === 'delivered' || message.status === 'undelivered') return
  message.status = step.status
  message.error_code = step.errorCode ?? null
}
