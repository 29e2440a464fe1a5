import type { JsMsg } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/**
 * Messages that are taken and not yet answered, and which server gave them. After a server has begun anew another message may
 * bear the sequence of one that is held: an answer would be about that one, so none is given.
 */
export class HeldMessages {
  readonly #bus: Bus
  readonly #servers = new Map<JsMsg, string>()

  constructor(bus: Bus) {
    this.#bus = bus
  }

  take(message: JsMsg): void {
    this.#servers.set(message, this.#server)
  }

  /** Tells JetStream that they are still under way. */
  keep(): void {
    for (const message of this.#servers.keys()) message.working()
  }

  /** Answers a message, unless the answer would be about another one. */
  answer(message: JsMsg, say: (message: JsMsg) => void): void {
    if (this.#servers.get(message) === this.#server) say(message)
    this.#servers.delete(message)
  }

  get #server(): string {
    return this.#bus.connection.info?.server_id ?? ''
  }
}
