import { Child, type ChildSpec } from './child-process.ts'

/** Options of every server of the stack. */
export interface ServerOptions {
  port: number
  /** A folder of its own; made when missing. */
  dataDir: string
  logFile: string
  /** Further lines of its configuration. */
  settings?: readonly string[]
  onStart?: (pid: number) => void
  onEnd?: (pid: number) => void
  onCrash?: (how: string) => void
}

/** A running Postgres, NATS or Redis. */
export class Server {
  readonly url: string
  readonly port: number
  private readonly child: Child
  private readonly beforeStart: () => Promise<void>

  constructor(url: string, port: number, spec: ChildSpec, beforeStart: () => Promise<void> = async () => {}) {
    this.url = url
    this.port = port
    this.child = new Child(spec)
    this.beforeStart = beforeStart
  }

  /** The process id; 0 while it does not run. */
  get pid(): number {
    return this.child.pid
  }

  get running(): boolean {
    return this.child.running
  }

  /** Starts the server and waits until it accepts. */
  async start(): Promise<void> {
    await this.beforeStart()
    await this.child.start()
    try {
      await this.child.waitReady()
    } catch (error) {
      await this.child.kill('SIGKILL')
      throw error
    }
  }

  /** Sends a signal: SIGKILL (default) is a crash, SIGSTOP freezes, SIGCONT thaws. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.child.kill(signal)
  }

  /** Starts it again on the same port with the same data, and waits until it accepts. */
  async restart(): Promise<void> {
    await this.child.kill('SIGKILL')
    await this.start()
  }

  /** Stops the server; true when it had to be killed. */
  stop(graceMs?: number): Promise<boolean> {
    return this.child.stop(graceMs)
  }

  /** The last lines of its log. */
  output(lines?: number): string[] {
    return this.child.output(lines)
  }
}
