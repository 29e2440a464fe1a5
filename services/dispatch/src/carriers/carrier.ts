import type { AttemptOutcome } from '@notify/contracts'
import type { SmsPayload } from '../accept/judge-candidate.ts'
import type { Provider } from '../providers/provider-directory.ts'

/** One message for a carrier, with the correlation that comes back in its callbacks. */
export interface CarrierMessage extends SmsPayload {
  notificationId: string
  attemptId: string
  mode: 'live' | 'test'
  traceparent: string | undefined
}

/** How a carrier call ended. */
export interface CarrierAnswer {
  outcome: AttemptOutcome
  /** The carrier's error code, or our own word for a transport fault. */
  code: string | null
  message: string | null
  providerMessageId: string | null
  /** How long the carrier asked us to wait, in milliseconds. */
  retryAfterMs: number | null
}

/** Hands messages to carriers. Never throws: every fault is an outcome. */
export interface Carriers {
  send(provider: Provider, message: CarrierMessage): Promise<CarrierAnswer>
}
