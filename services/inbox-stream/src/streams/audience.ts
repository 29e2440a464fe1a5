import type { InboxAddress, StreamEvent, streamInbox } from '@notify/contracts'
import type { InboxEvent } from './inbox-event.ts'
import type { LiveBus } from './live-bus.ts'
import type { Reader } from './reader.ts'

export interface Listener {
  reader: Reader
  /** When its token expires, in Unix milliseconds. */
  expiresAtMs: number
}

type Rendered = StreamEvent<typeof streamInbox>

/** All streams of one user that this process holds; they share one subscription. */
export class Audience {
  readonly address: InboxAddress
  readonly listeners = new Set<Listener>()
  readonly #deafen: () => void
  readonly #make: (event: InboxEvent) => Rendered
  #latest: { event: InboxEvent; rendered: Rendered } | undefined

  constructor(address: InboxAddress, live: LiveBus, make: (event: InboxEvent) => Rendered) {
    this.address = address
    this.#make = make
    this.#deafen = live.listen(address, (events) => {
      for (const event of events) for (const { reader } of this.listeners) reader.hear(event)
    })
  }

  /** Decrypts an event once for all streams that send it. */
  render(event: InboxEvent): Rendered {
    if (this.#latest?.event !== event) this.#latest = { event, rendered: this.#make(event) }
    return this.#latest.rendered
  }

  close(): void {
    this.#deafen()
  }
}
