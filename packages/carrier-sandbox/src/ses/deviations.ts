import type { EmailBehaviour } from '../behaviours.ts'
import { createThrottle } from '../throttle.ts'
import type { Email } from './email.ts'
import { errors, type SesError } from './errors.ts'

/** The kinds of event. */
export type Step = 'sent' | 'delivered' | 'bounced' | 'softBounced' | 'complained' | 'delayed' | 'rejected'

/** The outcome of a send request: an error, or a message with the events that follow it. */
export type Outcome =
  | { error: SesError; headers?: Record<string, string> }
  | { isAnswered: boolean; steps: readonly Step[] }

/** How SES shows each behaviour. */
export type Deviations = Record<EmailBehaviour, (email: Email, recipient: string) => Outcome>

/** The table of behaviours; it remembers which recipients it throttled. */
export function createDeviations(): Deviations {
  const passes = createThrottle()
  const events = (...steps: Step[]) => ({ isAnswered: true, steps })
  return {
    delivered: () => events('sent', 'delivered'),
    bounced: () => events('sent', 'bounced'),
    softBounced: () => events('sent', 'softBounced'),
    complained: () => events('sent', 'delivered', 'complained'),
    delayed: () => events('sent', 'delayed', 'delivered'),
    rejectedLater: () => events('rejected'),
    refused: () => ({ error: errors.messageRejected('Address blacklisted.') }),
    throttled: ({ subject, text }, recipient) =>
      passes(`${recipient} ${subject} ${text}`)
        ? events('sent', 'delivered')
        : { error: errors.tooManyRequests(), headers: { 'Retry-After': '1' } },
    unanswered: () => ({ isAnswered: false, steps: ['sent', 'delivered'] }),
    broken: () => ({ error: errors.unavailable() }),
    scrambled: () => events('delivered', 'sent', 'delivered', 'sent'),
    silent: () => events(),
  }
}
