import type { JsMsg } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/**
 * Unacknowledged messages, each with the server that delivered it. After a restart of the server another message may have
 * the same sequence, so an earlier message is not acknowledged.
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

  /** Reports the messages as in progress. */
  keep(): void {
    for (const message of this.#servers.keys()) message.working()
  }

  /** Acknowledges a message, unless the acknowledgement would apply to another one. */
  answer(message: JsMsg, send: (message: JsMsg) => void): void {
    if (this.#servers.get(message) === this.#server) send(message)
    this.#servers.delete(message)
  }

  get #server(): string {
    return this.#bus.connection.info?.server_id ?? ''
  }
}
