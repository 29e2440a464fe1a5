import type { Consumer, JsMsg } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import type { Bus } from './connect.ts'
import type { SeenMessage } from './mend-consumer.ts'
import { type DurableSettings, provisionConsumer } from './provision.ts'

/** The durable is looked at again this often: whether its place still fits the stream. */
const lookAgainMs = 5 * 60_000

interface PlaceSettings extends DurableSettings {
  onMended(): void
}

/** A durable, and what this process was given of it: enough to notice that its stream has lost messages. */
export class DurablePlace {
  readonly #bus: Bus
  readonly #settings: PlaceSettings
  #seen: SeenMessage | undefined
  /** By `performance.now()`. */
  #lookAtMs = 0

  constructor(bus: Bus, settings: PlaceSettings) {
    this.#bus = bus
    this.#settings = settings
  }

  get filter(): string {
    return this.#settings.filter
  }

  /** Whether the durable has to be looked at before more is taken. */
  get isDue(): boolean {
    return performance.now() >= this.#lookAtMs
  }

  note({ seq, time }: JsMsg): void {
    if (seq > (this.#seen?.seq ?? 0)) this.#seen = { seq, time }
  }

  /** Makes the durable, or makes it again when its stream has lost messages. */
  async provision(): Promise<Consumer> {
    const { publisher, durable, onMended } = this.#settings
    this.#lookAtMs = performance.now() + lookAgainMs
    const provisioned = await provisionConsumer(this.#bus, { ...this.#settings, seen: this.#seen })
    if (provisioned !== 'kept') this.#seen = undefined
    if (provisioned === 'mended') onMended()
    return this.#bus.js.consumers.get(streams[publisher].name, durable)
  }

  /** The server may have begun anew: the durable is due then, and `then` is called. Returns when the connection is closed. */
  async onReconnection(then: () => void): Promise<void> {
    for await (const { type } of this.#bus.connection.status()) {
      if (type !== 'reconnect') continue
      this.#lookAtMs = 0
      then()
    }
  }
}
