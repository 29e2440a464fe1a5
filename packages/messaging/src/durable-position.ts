import type { Consumer, JsMsg } from '@nats-io/jetstream'
import { streams } from '@notify/contracts'
import type { Bus } from './connect.ts'
import type { Mend, SeenMessage } from './mend-consumer.ts'
import { type DurableSettings, MissingDurableError, provisionConsumer } from './provision.ts'

/** Interval of the check that the durable's position matches the stream. */
const lookAgainMs = 5 * 60_000
/** Time that another process has to recreate a durable. */
const recreatedWithinMs = 1000

interface PositionSettings extends DurableSettings {
  onMended(cause: Mend['cause']): void
}

/** A durable and the newest message received from it: enough to detect that its stream lost messages. */
export class DurablePosition {
  readonly #bus: Bus
  readonly #settings: PositionSettings
  #seen: SeenMessage | undefined
  /** By `performance.now()`. */
  #lookAtMs = 0
  /** Until when the durable is expected to exist, likewise; before its first check it is not. */
  #expectedUntilMs = 0

  constructor(bus: Bus, settings: PositionSettings) {
    this.#bus = bus
    this.#settings = settings
  }

  get filter(): string {
    return this.#settings.filter
  }

  /** Whether the durable must be checked before the next fetch. */
  get isDue(): boolean {
    return performance.now() >= this.#lookAtMs
  }

  note({ seq, time }: JsMsg): void {
    if (seq > (this.#seen?.seq ?? 0)) this.#seen = { seq, time }
  }

  /**
   * Creates the durable, or recreates it if its stream lost messages or its position is unknown.
   * @throws MissingDurableError when it has just disappeared: repeat the call
   */
  async provision(): Promise<Consumer> {
    const { publisher, durable, onMended } = this.#settings
    const nowMs = performance.now()
    this.#lookAtMs = nowMs + lookAgainMs
    const look = { seen: this.#seen, isExpected: nowMs < this.#expectedUntilMs }
    const provisioned = await provisionConsumer(this.#bus, { ...this.#settings, ...look }).catch((error: unknown) => {
      if (error instanceof MissingDurableError)
        this.#expectedUntilMs = Math.min(this.#expectedUntilMs, nowMs + recreatedWithinMs)
      throw error
    })
    this.#expectedUntilMs = Number.POSITIVE_INFINITY
    if (provisioned !== 'kept') this.#seen = undefined
    if (provisioned === 'mended' || provisioned === 'position_unknown') onMended(provisioned)
    return this.#bus.js.consumers.get(streams[publisher].name, durable)
  }

  /**
   * Calls `then` after each reconnection, since the server may have restarted. Returns when the connection is closed.
   */
  async onReconnection(then: () => void): Promise<void> {
    for await (const { type } of this.#bus.connection.status()) {
      if (type !== 'reconnect') continue
      this.#lookAtMs = 0
      then()
    }
  }
}
