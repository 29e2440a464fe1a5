import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, StartupError } from '../startup-error.ts'
import { lastWords } from './readable.ts'

export interface ChildSpec {
  name: string
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  uid?: number | undefined
  gid?: number | undefined
  /** File for stdout and stderr. */
  logFile: string
  /** An IPC channel, so that the child notices the end of its parent (`disconnect`). */
  ipc?: boolean
  /** Signal for an orderly shutdown. */
  stopSignal: NodeJS.Signals
  /** Whether the process accepts requests. */
  ready: () => Promise<boolean>
  /** Called with each line that the process prints. */
  onLine?: (line: string) => void
  /** Called after each start, to record the process. */
  onStart?: (pid: number) => void
  /** Called after each end. */
  onEnd?: (pid: number) => void
  /** Called when the process ends unexpectedly. */
  onCrash?: (how: string) => void
}

/** One process of a stack. It has its own process group, so that Ctrl-C reaches only the supervisor, which stops the stack in order. */
export class Child {
  readonly name: string
  protected readonly spec: ChildSpec
  protected process: ChildProcess | undefined
  private ended: Promise<void> = Promise.resolve()
  private readonly readers: Interface[] = []
  private finish: (how: string) => void = () => {}
  private endedHow: string | undefined
  private wanted = false

  constructor(spec: ChildSpec) {
    this.spec = spec
    this.name = spec.name
  }

  /** The process id; 0 while it does not run. */
  get pid(): number {
    return this.running ? (this.process?.pid ?? 0) : 0
  }

  get running(): boolean {
    return this.process !== undefined && this.endedHow === undefined
  }

  /** Starts the process; does not wait until it serves. */
  async start(): Promise<void> {
    if (this.running) return
    const log = openSync(this.spec.logFile, 'a', 0o600)
    const child = this.obtain(log)
    this.process = child
    this.endedHow = undefined
    this.wanted = true
    this.ended = new Promise((resolve) => {
      let told = false
      const finish = (how: string) => {
        if (told) return
        told = true
        this.end(how)
        resolve()
      }
      this.finish = finish
      child.once('error', (error) => finish(`cannot be started: ${messageOf(error)}`))
      child.once('exit', (code, signal) => {
        const how = signal ? `ended by ${signal}` : `ended with exit code ${code}`
        // The pipe may still contain output; a grandchild may hold it open.
        child.once('close', () => finish(how))
        setTimeout(finish, 500, how).unref()
      })
    })
    letGo(child)
    if (this.spec.onLine) this.readLines(child, log)
    else closeSync(log)
    if (child.pid !== undefined) this.spec.onStart?.(child.pid)
  }

  /** Starts an operating-system process. */
  protected obtain(log: number): ChildProcess {
    const { command, args, env, cwd, uid, gid, ipc } = this.spec
    const output = this.spec.onLine ? 'pipe' : log
    return spawn(command, args, {
      env,
      cwd,
      detached: true,
      stdio: ipc ? ['ignore', output, output, 'ipc'] : ['ignore', output, output],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    })
  }

  /** Detaches from a process that continues to run. */
  protected release(how: string): void {
    for (const event of ['error', 'exit', 'close']) this.process?.removeAllListeners(event)
    for (const lines of this.readers) lines.close()
    for (const stream of [this.process?.stdout, this.process?.stderr]) stream?.removeAllListeners('error')
    this.finish(how)
  }

  /** Whether this line says that the process has done its task and continues without the supervisor. */
  protected isFarewell(_line: string): boolean {
    return false
  }

  /** Asks the process to end. */
  protected askToStop(): void {
    this.signal(this.spec.stopSignal)
  }

  private readLines(child: ChildProcess, log: number): void {
    let open = 2
    this.readers.length = 0
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      stream.on('error', () => {})
      const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
      this.readers.push(lines)
      lines.on('line', (line) => {
        // A reader that is closed still passes on the lines of its last piece.
        if (open === 0 || this.isFarewell(line)) return
        this.spec.onLine?.(line)
        writeSync(log, `${line}\n`)
      })
      lines.on('close', () => {
        open -= 1
        if (open === 0) closeSync(log)
      })
    }
  }

  private end(how: string): void {
    this.endedHow = how
    if (this.process?.pid !== undefined) this.spec.onEnd?.(this.process.pid)
    if (this.wanted) this.spec.onCrash?.(how)
  }

  /**
   * Waits until the process serves.
   * @throws StartupError when it ends before that, with its last words, or takes too long
   */
  async waitReady(timeoutMs = 60_000, ready = this.spec.ready): Promise<void> {
    const started = performance.now()
    for (;;) {
      if (await ready().catch(() => false)) {
        if (this.running) return
      }
      if (this.endedHow !== undefined) {
        throw new StartupError(
          `${this.name} ${this.endedHow} before it was ready: ${this.lastError()} (log: ${this.spec.logFile})`,
          { cause: this.output(30).join('\n') },
        )
      }
      if (performance.now() - started > timeoutMs) {
        throw new StartupError(
          `${this.name} is not ready after ${Math.round(timeoutMs / 1000)} s: ${this.lastError()} (log: ${this.spec.logFile})`,
        )
      }
      await Promise.race([delay(25), this.ended])
    }
  }

  /**
   * Sends a signal. SIGSTOP and SIGCONT return at once; with any other, the promise settles when the process has ended.
   * Works on the whole process group, so that children of the process go with it.
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.running) return
    const passing = signal === 'SIGSTOP' || signal === 'SIGCONT' || signal === 'SIGHUP' || signal === 'SIGUSR2'
    if (!passing) this.wanted = false
    this.signal(signal)
    if (!passing) await this.untilEnded()
  }

  /** Asks the process to end, and kills it after `graceMs`. @returns whether it had to be killed */
  async stop(graceMs = 20_000): Promise<boolean> {
    if (!this.running) return false
    this.wanted = false
    this.askToStop()
    const timer = new AbortController()
    const late = await Promise.race([
      this.ended.then(() => false),
      delay(graceMs, true, { signal: timer.signal }).catch(() => false),
    ])
    timer.abort()
    if (!late) return false
    this.signal('SIGKILL')
    await this.untilEnded()
    return true
  }

  /** Restarts the process, killing it if it runs, and waits until it is ready. */
  async restart(): Promise<void> {
    await this.kill('SIGKILL')
    await this.start()
    await this.waitReady()
  }

  /** The last lines that the process printed. */
  output(lines = 50): string[] {
    try {
      const all = readFileSync(this.spec.logFile, 'utf8').split('\n')
      return all.filter((line) => line !== '').slice(-lines)
    } catch {
      return []
    }
  }

  private lastError(): string {
    return lastWords(this.output(200))
  }

  /** Keeps the event loop alive; the child itself does not. */
  private async untilEnded(): Promise<void> {
    const hold = setInterval(() => {}, 1000)
    await this.ended
    clearInterval(hold)
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = this.process?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      this.process?.kill(signal)
    }
  }
}

/** A stack that a test forgot to stop must not keep that test's process alive; its reaper stops the stack. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}
