import type { CarrierAnswer, Correlation } from '@notify/carriers/sending'
import type { Channel } from '@notify/contracts'
import type { Provider } from '../providers/provider-directory.ts'
import type { EmailPayload } from './email-payload.ts'
import type { SmsPayload } from './sms-payload.ts'

/** What is kept of a message until it is sent, by its channel. */
export type Payload = SmsPayload | EmailPayload

/** One message for a carrier of its channel. */
export type CarrierMessage = Payload & Correlation & { channel: Channel }

/** Hands messages to carriers. Never throws: every fault is an outcome. */
export interface Carriers {
  send(provider: Provider, message: CarrierMessage): Promise<CarrierAnswer>
  /** Closes connections that are kept open. */
  close(): void
}
