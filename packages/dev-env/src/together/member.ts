import type { Child } from '../infrastructure/child-process.ts'
import type { NodeProcess } from '../stack/process-names.ts'
import { isStandIn, serviceOf } from '../stack/process-names.ts'
import type { HostProcess } from './host-process.ts'

/** What a stack does with a Node process, whether it is alone or shares one. */
export type NodeChild = Pick<
  Child,
  'name' | 'pid' | 'running' | 'start' | 'waitReady' | 'kill' | 'stop' | 'restart' | 'output'
>

/** A Node process of the stack that shares one operating-system process with others: it cannot end or start alone. */
export class Member implements NodeChild {
  readonly name: NodeProcess
  readonly #shared: HostProcess
  readonly #ready: () => Promise<boolean>

  constructor(name: NodeProcess, shared: HostProcess, ready: () => Promise<boolean>) {
    this.name = name
    this.#shared = shared
    this.#ready = ready
  }

  get pid(): number {
    return this.#shared.pid
  }

  get running(): boolean {
    return this.#shared.running
  }

  /** Services begin with the first of them; the stand-ins do not wait for them. */
  async start(): Promise<void> {
    await this.#shared.start()
    if (!isStandIn(this.name)) this.#shared.startServices()
  }

  waitReady(timeoutMs?: number): Promise<void> {
    return this.#shared.waitReady(timeoutMs, this.#ready)
  }

  async kill(signal?: NodeJS.Signals): Promise<void> {
    if (signal !== 'SIGKILL') throw this.#notAlone()
    await this.#shared.kill(signal)
  }

  stop(graceMs?: number): Promise<boolean> {
    return this.#shared.stop(graceMs)
  }

  restart(): Promise<void> {
    return Promise.reject(this.#notAlone())
  }

  /** The lines of this service, or those of all for a stand-in. */
  output(lines = 50): string[] {
    const all = this.#shared.output(Number.POSITIVE_INFINITY)
    if (isStandIn(this.name)) return all.slice(-lines)
    const own = `"service":"${serviceOf(this.name)}"`
    return all.filter((line) => line.includes(own)).slice(-lines)
  }

  #notAlone(): Error {
    return new Error(
      `${this.name} shares a process; to end it alone, start the environment with apart: ['${this.name}']`,
    )
  }
}
