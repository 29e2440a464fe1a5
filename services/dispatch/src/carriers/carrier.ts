import type { AttemptOutcome } from '@notify/contracts'
import type { EmailPayload } from '../channels/email/payload.ts'
import type { SmsPayload } from '../channels/sms/payload.ts'
import type { Provider } from '../providers/provider-directory.ts'

/** The correlation that travels with a message and comes back in its callbacks. */
interface Correlation {
  notificationId: string
  attemptId: string
  mode: 'live' | 'test'
  traceparent: string | undefined
}

export type SmsMessage = Omit<SmsPayload, 'channel'> & Correlation
export type EmailMessage = Omit<EmailPayload, 'channel'> & Correlation
/** One message for a carrier. */
export type CarrierMessage = SmsMessage | EmailMessage

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

/** Hands messages to carriers. Never throws: every fault is an outcome. */
export interface Carriers {
  send(provider: Provider, message: CarrierMessage): Promise<CarrierAnswer>
  /** Closes connections that are kept open. */
  close(): void
}

/** One kind of carrier. */
export interface Carrier<Kind extends Provider['kind'], Message extends CarrierMessage> {
  send(provider: Extract<Provider, { kind: Kind }>, message: Message): Promise<CarrierAnswer>
  close(): void
}
