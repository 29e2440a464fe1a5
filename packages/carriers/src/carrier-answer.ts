import type { AttemptOutcome } from '@notify/contracts'

/** The result of a carrier call. */
export interface CarrierAnswer {
  outcome: AttemptOutcome
  /** The carrier's error code, or our own for a transport failure. */
  code: string | null
  message: string | null
  providerMessageId: string | null
  /** Retry-After of the carrier, in milliseconds. */
  retryAfterMs: number | null
  /** Only this recipient has to wait; the account may go on sending to others. */
  recipientOnly?: true
  /** The whole account is refused (credentials, suspension, pause). Another provider may accept the message. */
  providerDown?: true
  /** The carrier failed: no response, or an internal error. */
  carrierFault?: true
  /** Copies of an accepted message that the carrier refused, with its reason. */
  refusedCopies?: readonly { to: string; reason: string }[]
  /** The recipient opted out at the carrier and must be suppressed. */
  suppress?: 'stop'
}
