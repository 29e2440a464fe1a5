import type { InboxAddress } from '@notify/contracts'
import type { EncodedEvent } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'
import type { LiveBus } from './live-bus.ts'
import type { Reader, Source } from './reader.ts'
import type { ReadReplay } from './replays.ts'

/** Changes of preferences within this time are sent as one event. */
const coalesceMs = 100

export interface Listener {
  reader: Reader
  /** When its token expires, in Unix milliseconds. */
  expiresAtMs: number
}

/** The dependencies that all audiences of a process share. */
export interface Supply {
  live: LiveBus
  read: ReadReplay
  /** Decrypts and encodes an event; one that cannot be decrypted as deleted, as the list leaves it out. */
  encode(address: InboxAddress, event: InboxEvent): EncodedEvent
  onGap(): void
  onFailure(error: unknown): void
}

/** All streams of one user that this process holds; they share one subscription. */
export class Audience implements Source {
  readonly address: InboxAddress
  readonly listeners = new Set<Listener>()
  readonly #supply: Supply
  readonly #unsubscribe: () => void
  /** The event from the bus that the streams are just hearing. */
  #heard: { event: InboxEvent; encoded?: EncodedEvent } | undefined
  #telling: NodeJS.Timeout | undefined

  constructor(address: InboxAddress, supply: Supply) {
    this.address = address
    this.#supply = supply
    this.#unsubscribe = supply.live.listen(address, {
      onEvents: (events) => {
        for (const event of events) {
          this.#heard = { event }
          for (const { reader } of this.listeners) reader.hear(event)
        }
        // A slice would keep the whole message in memory.
        this.#heard = undefined
      },
      onPreferences: () => this.signalPreferences(),
    })
  }

  /** The last sequence that any of the streams has sent. */
  get sent(): number {
    return Math.max(0, ...[...this.listeners].map(({ reader }) => reader.sent))
  }

  readAfter(seq: number): Promise<readonly InboxEvent[]> {
    return this.#supply.read(this.address, seq)
  }

  /** Encodes an event from the bus once for all streams; others only one stream reads, and nothing keeps them. */
  encode(event: InboxEvent): EncodedEvent {
    if (this.#heard?.event !== event) return this.#supply.encode(this.address, event)
    this.#heard.encoded ??= this.#supply.encode(this.address, event)
    return this.#heard.encoded
  }

  onGap(): void {
    this.#supply.onGap()
  }

  onFailure(error: unknown): void {
    this.#supply.onFailure(error)
  }

  /** Tells all streams, soon, that the preferences of the user may have changed. */
  signalPreferences(delayMs = coalesceMs): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      for (const { reader } of this.listeners) reader.signalPreferences()
    }, delayMs)
  }

  close(): void {
    clearTimeout(this.#telling)
    this.#unsubscribe()
  }
}
