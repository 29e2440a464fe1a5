import type { CarrierAnswer, Correlation } from '@notify/carriers/sending'
import type { Provider } from '../../catalogue/providers/provider-directory.ts'
import type { Payload } from '../../channels/channel.ts'

/** One message for a carrier of its channel. */
export interface CarrierMessage extends Payload, Correlation {
  [field: string]: unknown
}

/** Hands messages to carriers. Never throws: every fault is an outcome. */
export interface Carriers {
  send(provider: Provider, message: CarrierMessage): Promise<CarrierAnswer>
  /** Closes connections that are kept open. */
  close(): void
}
