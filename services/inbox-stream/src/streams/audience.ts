import type { InboxAddress, StreamEvent, streamInbox } from '@notify/contracts'
import { type EncodedEvent, encodeEvent } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'
import type { LiveBus } from './live-bus.ts'
import type { Reader } from './reader.ts'

export interface Listener {
  reader: Reader
  /** When its token expires, in Unix milliseconds. */
  expiresAtMs: number
}

/** All streams of one user that this process holds; they share one subscription. */
export class Audience {
  readonly address: InboxAddress
  readonly listeners = new Set<Listener>()
  readonly #deafen: () => void
  readonly #make: (event: InboxEvent) => StreamEvent<typeof streamInbox>
  #latest: { event: InboxEvent; encoded: EncodedEvent } | undefined

  constructor(address: InboxAddress, live: LiveBus, make: (event: InboxEvent) => StreamEvent<typeof streamInbox>) {
    this.address = address
    this.#make = make
    this.#deafen = live.listen(address, (events) => {
      for (const event of events) for (const { reader } of this.listeners) reader.hear(event)
    })
  }

  /** Decrypts and encodes an event once for all streams that send it. */
  encode(event: InboxEvent): EncodedEvent {
    if (this.#latest?.event !== event) this.#latest = { event, encoded: encodeEvent(this.#make(event)) }
    return this.#latest.encoded
  }

  close(): void {
    this.#deafen()
  }
}
