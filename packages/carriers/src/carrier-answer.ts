import type { AttemptOutcome } from '@notify/contracts'

/** How a carrier call ended. */
export interface CarrierAnswer {
  outcome: AttemptOutcome
  /** The carrier's error code, or our own word for a transport fault. */
  code: string | null
  message: string | null
  providerMessageId: string | null
  /** How long the carrier asked us to wait, in milliseconds. */
  retryAfterMs: number | null
  /**
   * The account as a whole is refused (credentials, suspension, pause): no message goes through until somebody mends it, but
   * another provider may well take this one.
   */
  providerDown?: true
  /** The carrier itself did not work: no answer, or a fault that it owns up to. */
  carrierFault?: true
  /** The recipient told the carrier to stop; nothing more may be sent there. */
  suppress?: 'stop'
}
