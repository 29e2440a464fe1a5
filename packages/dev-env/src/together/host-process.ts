import type { ChildProcess } from 'node:child_process'
import { Child, type ChildSpec } from '../infrastructure/child-process.ts'
import { keptProcesses } from './kept-processes.ts'
import { type Environments, freeLine, type Order } from './orders.ts'

/** At most so many processes of a kind wait for a stack. */
const maxKept = 4

/**
 * A process that runs services by request: several, or one alone. Where processes are kept, it takes one of them
 * and gives it back, unless it was killed.
 */
export class HostProcess extends Child {
  readonly #environments: Environments
  readonly #kept = keptProcesses()
  /** A process serves only stacks that would start it with the same variables. */
  readonly #kind: string
  #isStopping = false

  constructor(spec: ChildSpec, environments: Environments) {
    super(spec)
    this.#environments = environments
    this.#kind = JSON.stringify(spec.env)
  }

  override async start(): Promise<void> {
    if (this.running) return
    await super.start()
    this.#isStopping = false
    this.#tell({ load: this.#environments })
    // One alone is started after the servers; several are loaded meanwhile.
    if (Object.keys(this.#environments).length === 1) this.startServices()
  }

  /** Starts the services; the stand-ins run already. */
  startServices(): void {
    this.#tell('start')
  }

  protected override obtain(log: number): ChildProcess {
    const free = this.#free()
    while (free.length > 0) {
      const process = free.pop()!
      if (process.connected && process.exitCode === null && process.signalCode === null) return process
    }
    return super.obtain(log)
  }

  /** Once, although each member asks: of two stops at once, the process would take the other's timer for something left open. */
  protected override askToStop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    if (this.#kept && this.#free().length < maxKept) this.#tell('stop')
    else super.askToStop()
  }

  protected override isFarewell(line: string): boolean {
    if (line !== freeLine) return false
    const { process } = this
    this.release('has stopped')
    if (process) this.#free().push(process)
    return true
  }

  #free(): ChildProcess[] {
    const free = this.#kept?.get(this.#kind) ?? []
    this.#kept?.set(this.#kind, free)
    return free
  }

  #tell(order: Order): void {
    this.process?.send?.(order, () => {})
  }
}
