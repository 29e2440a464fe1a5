import type { Logger } from './logger.ts'

type Stop = () => unknown | Promise<unknown>

/**
 * The resources of a process. Each registers its stop function right after it is opened; they run in reverse order,
 * so consumers stop before HTTP, HTTP before the outbox, and so on down to telemetry.
 */
export class Lifecycle {
  readonly #stops: { name: string; stop: Stop }[] = []
  readonly #drains: (() => void)[] = []
  #isDraining = false
  /** Seconds from the first to the last failure of each periodic task that fails, by its name. */
  readonly failingTasks = new Map<string, number>()
  readonly #log: Logger
  #isStopping = false
  #stopped: Promise<void> | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** Registers the stop function of a resource. */
  onStop(name: string, stop: Stop): void {
    this.#stops.push({ name, stop })
  }

  /** Registers a function that runs when the stop is announced, while everything still works; see {@link drain}. */
  onDrain(drain: () => void): void {
    this.#drains.push(drain)
  }

  /** Announces that the process will stop soon. */
  drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    for (const drain of this.#drains) drain()
  }

  /** Whether {@link stop} was called. From then on nothing begins whose outcome would be lost with the process. */
  get stopping(): boolean {
    return this.#isStopping
  }

  /** Stops everything, once. A resource that fails to stop does not affect the others. */
  stop(): Promise<void> {
    this.drain()
    this.#isStopping = true
    this.#stopped ??= this.#stopAll()
    return this.#stopped
  }

  async #stopAll(): Promise<void> {
    for (const { name, stop } of this.#stops.reverse()) {
      const started = performance.now()
      try {
        await stop()
        this.#log.debug({ resource: name, ms: Math.round(performance.now() - started) }, 'stopped')
      } catch (error) {
        this.#log.error({ resource: name, err: error }, 'resource failed to stop')
      }
    }
  }
}
