import type { ServiceName } from '@notify/contracts'
import type { Ports } from '../infrastructure/ports.ts'
import type { Server } from '../infrastructure/server.ts'
import type { State } from '../state/state.ts'
import type { NodeChild } from '../together/member.ts'
import type { NodeProcess, ProcessName, ServerProcess, ServiceProcess } from './process-names.ts'
import type { Reaper } from './reaper.ts'
import { stopOrder } from './stop-order.ts'
import { baseUrl, databaseUrl, dnsServer, receiverUrl, type Wiring } from './wiring.ts'

/** A running system: {@link startStack} makes it. */
export class Stack {
  readonly wiring: Wiring
  readonly dataDir: string
  readonly children = new Map<NodeProcess, NodeChild>()
  readonly servers = new Map<ServerProcess, Server>()
  private readonly reaper: Reaper
  private readonly onProgress: (text: string) => void
  private stopping: Promise<void> | undefined
  /** True once everything has been ready. */
  started = false

  constructor(dataDir: string, wiring: Wiring, reaper: Reaper, onProgress: (text: string) => void) {
    this.dataDir = dataDir
    this.wiring = wiring
    this.reaper = reaper
    this.onProgress = onProgress
  }

  /** The secrets and the demo identifiers. */
  get state(): State {
    return this.wiring.state
  }

  get ports(): Ports {
    return this.wiring.ports
  }

  /** Base URLs of the Node processes that were started. */
  get urls(): Partial<Record<NodeProcess, string>> {
    return Object.fromEntries([...this.children.keys()].map((name) => [name, this.url(name)]))
  }

  /** Where Prometheus finds the metrics of the services that were started. */
  get metricsUrls(): Partial<Record<ServiceProcess, string>> {
    const { metrics } = this.ports
    const started = Object.entries(metrics).filter(([name]) => this.children.has(name as ServiceProcess))
    return Object.fromEntries(started.map(([name, port]) => [name, `http://127.0.0.1:${port}/metrics`]))
  }

  /** Process ids of all that runs now. */
  get pids(): Partial<Record<ProcessName, number>> {
    const running = [...this.children, ...this.servers].filter(([, process]) => process.running)
    return Object.fromEntries(running.map(([name, process]) => [name, process.pid]))
  }

  get nats(): Server {
    return this.server('nats')
  }

  get redis(): Server {
    return this.server('redis')
  }

  get postgres(): Server {
    return this.server('postgres')
  }

  get natsUrl(): string {
    return this.wiring.natsUrl
  }

  get redisUrl(): string {
    return this.wiring.redisUrl
  }

  /** The carrier sandbox's HTTPS receiver of webhooks. */
  get receiverUrl(): string {
    return receiverUrl(this.wiring)
  }

  /** The carrier sandbox's DNS server, `host:port`. */
  get dnsServer(): string {
    return dnsServer(this.wiring)
  }

  /** The superuser's URL of the database that the services share. */
  get adminDatabaseUrl(): string {
    return this.wiring.adminDatabaseUrl
  }

  /** That database's URL for a service's own role. */
  databaseUrl(service: ServiceName): string {
    return databaseUrl(this.wiring, service)
  }

  /** The base URL of a process, whether it runs or not. */
  url(process: NodeProcess): string {
    return baseUrl(this.wiring, process)
  }

  /** Sends a signal, by default SIGKILL, and waits for the end; SIGSTOP and SIGCONT return at once. */
  kill(process: ProcessName, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.find(process).kill(signal)
  }

  /** Restarts a process, on the same port with the same data, and waits until it is ready. */
  restart(process: ProcessName): Promise<void> {
    return this.find(process).restart()
  }

  /** Asks a process to end in good order and waits; true when it had to be killed. */
  stopProcess(process: ProcessName, graceMs?: number): Promise<boolean> {
    return this.find(process).stop(graceMs)
  }

  /** Waits until a Node process answers `/readyz` with 200. */
  waitReady(process: NodeProcess, timeoutMs?: number): Promise<void> {
    const child = this.children.get(process)
    if (!child) throw new Error(`${process} was not started`)
    return child.waitReady(timeoutMs)
  }

  /** The last lines that a process printed. */
  output(process: ProcessName, lines?: number): string[] {
    return this.find(process).output(lines)
  }

  /** Stops everything in order and waits; may be called again. */
  stop({ graceMs = 20_000 }: { graceMs?: number } = {}): Promise<void> {
    this.stopping = (this.stopping ?? Promise.resolve()).then(() => this.stopInOrder(graceMs))
    return this.stopping
  }

  /** Ends everything at once, data unsaved. */
  async killAll(): Promise<void> {
    this.stopping ??= Promise.resolve()
    await Promise.all([...this.children.values(), ...this.servers.values()].map((process) => process.kill('SIGKILL')))
    this.reaper.dismiss()
  }

  /** True from the beginning of a stop: processes that end are expected to. */
  get isStopping(): boolean {
    return this.stopping !== undefined
  }

  private async stopInOrder(graceMs: number): Promise<void> {
    for (const stage of stopOrder) {
      const running = stage.filter((name) => this.process(name)?.running)
      if (running.length === 0) continue
      this.onProgress(`stopping ${running.join(', ')}`)
      await Promise.all(
        running.map(async (name) => {
          const killed = await this.process(name)?.stop(graceMs)
          if (killed) this.onProgress(`${name} did not end within ${Math.round(graceMs / 1000)} s and was killed`)
        }),
      )
    }
    this.reaper.dismiss()
  }

  private process(name: ProcessName): NodeChild | Server | undefined {
    return this.children.get(name as NodeProcess) ?? this.servers.get(name as ServerProcess)
  }

  private find(name: ProcessName): NodeChild | Server {
    const process = this.process(name)
    if (!process) throw new Error(`${name} was not started by this stack`)
    return process
  }

  private server(name: ServerProcess): Server {
    const server = this.servers.get(name)
    if (!server) throw new Error(`${name} was not started by this stack`)
    return server
  }
}
