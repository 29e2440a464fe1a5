import type { Reporter } from '../callbacks/reporter.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { Sns } from '../sns/sns.ts'
import type { Step } from './deviations.ts'
import { type SentEmail, sesEvent } from './ses-event.ts'

const states = {
  sent: 'sent',
  delivered: 'delivered',
  bounced: 'bounced',
  softBounced: 'bounced',
  complained: 'complained',
  delayed: 'delayed',
  rejected: 'rejected',
} as const satisfies Record<Step, string>

const reasons: Partial<Record<Step, string>> = { bounced: 'Permanent/General', softBounced: 'Transient/MailboxFull' }

/** Takes a message through its states and publishes the event of each. */
export function reportEvents(
  { reporter, sns, topicArn }: { reporter: Reporter; sns: Sns; topicArn: string },
  sent: SentEmail,
  message: LoggedMessage,
  steps: readonly Step[],
): Promise<void> {
  return reporter.report(steps, async (step) => {
    advance(message, step)
    const event = JSON.stringify(sesEvent(sent, message.to, step))
    await sns.publish(topicArn, 'Amazon SES Email Event Notification', event)
  })
}

/** A final state stays, even if later events follow; only a complaint follows a delivery. */
function advance(message: LoggedMessage, step: Step): void {
  message.sent_at ??= new Date().toISOString()
  const isFinal = ['delivered', 'bounced', 'complained', 'rejected'].includes(message.status)
  if (isFinal && step !== 'complained') return
  message.status = states[step]
  message.error_code = reasons[step] ?? null
}
