import type { Logger } from './logger.ts'

type Stop = () => unknown | Promise<unknown>

/**
 * What a process has opened, in order. Each resource registers its end on the line after it is made; the ends run last in,
 * first out, so consumers stop before HTTP, HTTP before the outbox, and so on down to telemetry.
 */
export class Lifecycle {
  readonly #stops: { name: string; stop: Stop }[] = []
  readonly #log: Logger
  #stopping: Promise<void> | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** Registers how to end a resource. */
  onStop(name: string, stop: Stop): void {
    this.#stops.push({ name, stop })
  }

  get stopping(): boolean {
    return this.#stopping !== undefined
  }

  /** Ends everything, once; a resource that fails to end does not keep the others. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  async #stopAll(): Promise<void> {
    for (const { name, stop } of this.#stops.reverse()) {
      const started = performance.now()
      try {
        await stop()
        this.#log.debug({ resource: name, ms: Math.round(performance.now() - started) }, 'stopped')
      } catch (error) {
        this.#log.error({ resource: name, err: error }, 'did not stop cleanly')
      }
    }
  }
}
