import { behaviourOfEmail, behaviourOfPhone, type EmailBehaviour, type PhoneBehaviour } from '../behaviours.ts'
import { createThrottle } from '../throttle.ts'
import type { Draft, Step } from './stand-in.ts'

/** The outcome of a send: a refusal, or the states that follow. */
export type Outcome =
  | { refused: 'recipient' | 'throttled' | 'broken' }
  | { isAnswered: boolean; steps: readonly Step[] }

const takes = (...steps: Step[]): Outcome => ({ isAnswered: true, steps })

const outcomes: Record<Exclude<EmailBehaviour | PhoneBehaviour, 'throttled'>, Outcome> = {
  delivered: takes('sent', 'delivered'),
  undelivered: takes('sent', 'undelivered'),
  bounced: takes('sent', 'bounced'),
  softBounced: takes('sent', 'softBounced'),
  complained: takes('sent', 'delivered', 'complained'),
  delayed: takes('sent', 'delayed', 'delivered'),
  rejectedLater: takes('rejected'),
  refused: { refused: 'recipient' },
  unanswered: { isAnswered: false, steps: ['sent', 'delivered'] },
  broken: { refused: 'broken' },
  scrambled: takes('delivered', 'sent', 'delivered', 'sent'),
  silent: takes(),
}

/** What the recipients ask for; it remembers whom it throttled. */
export function createOutcomes(): (draft: Draft) => Outcome {
  const passes = createThrottle()
  return ({ to, subject, text }) => {
    const behaviour = to.includes('@') ? behaviourOfEmail(to) : behaviourOfPhone(to)
    if (behaviour !== 'throttled') return outcomes[behaviour]
    return passes(`${to} ${subject} ${text}`) ? outcomes.delivered : { refused: 'throttled' }
  }
}
