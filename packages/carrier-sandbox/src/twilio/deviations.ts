import type { PhoneBehaviour } from '../behaviours.ts'
import { createThrottle } from '../throttle.ts'
import { errors, type TwilioError } from './errors.ts'
import type { CreateRequest } from './read-create-request.ts'

/** A state that a status callback reports. */
export interface Step {
  status: 'sent' | 'delivered' | 'undelivered'
  errorCode?: number
}

/** The outcome of a create request: an error, or a message with the callbacks that follow it. */
export type Outcome =
  | { error: TwilioError; headers?: Record<string, string> }
  | { isAnswered: boolean; steps: readonly Step[] }

/** How Twilio shows each behaviour. */
export type Deviations = Record<PhoneBehaviour, (request: CreateRequest) => Outcome>

const sent: Step = { status: 'sent' }
const delivered: Step = { status: 'delivered' }
/** "Unreachable destination handset". */
const unreachable: Step = { status: 'undelivered', errorCode: 30003 }

/** The table of behaviours; it remembers which recipients it throttled. */
export function createDeviations(): Deviations {
  return {
    delivered: deliver,
    undelivered: () => ({ isAnswered: true, steps: [sent, unreachable] }),
    refused: ({ to }) => ({ error: errors.invalidTo(to) }),
    throttled: throttleTwice(),
    unanswered: () => ({ isAnswered: false, steps: [sent, delivered] }),
    broken: () => ({ error: errors.unavailable() }),
    scrambled: () => ({ isAnswered: true, steps: [delivered, sent, delivered, sent] }),
    silent: () => ({ isAnswered: true, steps: [] }),
  }
}

function deliver(): Outcome {
  return { isAnswered: true, steps: [sent, delivered] }
}

/** Refuses the same text to the same number twice, then lets it through and starts again. */
function throttleTwice(): (request: CreateRequest) => Outcome {
  const passes = createThrottle()
  return ({ to, body }) =>
    passes(`${to} ${body}`) ? deliver() : { error: errors.tooManyRequests(), headers: { 'Retry-After': '1' } }
}
