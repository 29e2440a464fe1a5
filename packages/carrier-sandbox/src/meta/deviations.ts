import type { PhoneBehaviour } from '../behaviours.ts'
import { createThrottle } from '../throttle.ts'
import { errors, type MetaError } from './errors.ts'
import type { Sending } from './read-send.ts'

/** A state that a webhook reports. */
export interface Step {
  status: 'sent' | 'delivered' | 'read' | 'failed'
  errorCode?: number
}

/** The outcome of a send: an error, or a message with the webhooks that follow it. */
export type Outcome =
  | { error: MetaError; headers?: Record<string, string> }
  | { isAnswered: boolean; steps: readonly Step[] }

const sent: Step = { status: 'sent' }
const delivered: Step = { status: 'delivered' }
const read: Step = { status: 'read' }
const undeliverable: Step = { status: 'failed', errorCode: 131026 }

/** How WhatsApp shows each behaviour; it remembers which recipients it throttled. */
export function createDeviations(): Record<PhoneBehaviour, (sending: Sending) => Outcome> {
  const passes = createThrottle()
  const deliver = (): Outcome => ({ isAnswered: true, steps: [sent, delivered, read] })
  return {
    delivered: deliver,
    undelivered: () => ({ isAnswered: true, steps: [sent, undeliverable] }),
    refused: () => ({ error: errors.undeliverable }),
    throttled: ({ to, text }) =>
      passes(`${to} ${text}`) ? deliver() : { error: errors.rateLimit, headers: { 'Retry-After': '1' } },
    unanswered: () => ({ isAnswered: false, steps: [sent, delivered, read] }),
    broken: () => ({ error: errors.unavailable }),
    scrambled: () => ({ isAnswered: true, steps: [read, delivered, sent, delivered, sent, read] }),
    silent: () => ({ isAnswered: true, steps: [] }),
  }
}
