import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type PortBlock, reservePortBlock } from '../src/infrastructure/ports.ts'
import { postgresDataDir } from '../src/infrastructure/postgres.ts'
import { type NodeProcess, serviceProcesses, standInProcesses } from '../src/stack/process-names.ts'
import { fileOf } from '../src/stack/process-table.ts'
import { programPath } from '../src/test-programs/program-path.ts'

const fakeService = join(import.meta.dirname, 'fake-service.ts')

/** A project of fake services, in a folder with spaces that only its owner may enter, to run `npm start` in. */
export class FakeProject {
  readonly root: string
  readonly ports: PortBlock
  private readonly runs: Run[] = []

  private constructor(root: string, ports: PortBlock) {
    this.root = root
    this.ports = ports
  }

  static async make(): Promise<FakeProject> {
    const root = mkdtempSync(join(tmpdir(), 'notify project '))
    for (const name of [...serviceProcesses, ...standInProcesses]) {
      const file = fileOf(name)
      const real = name === 'identity-provider' ? programPath(file) : fakeService
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), `import ${JSON.stringify(real)}\n`)
    }
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    return new FakeProject(root, await reservePortBlock())
  }

  get dataDir(): string {
    return join(this.root, '.local')
  }

  /** `npm start`, or rather what it runs. */
  start(env: Record<string, string> = {}, args: string[] = []): Run {
    const run = new Run(this.root, { PORT_BASE: String(this.ports.base), ...env }, args)
    this.runs.push(run)
    return run
  }

  /** `.local/dev.json`. */
  dev(): { pids: Record<string, number>; urls: Record<string, string>; [name: string]: unknown } {
    return JSON.parse(readFileSync(join(this.dataDir, 'dev.json'), 'utf8'))
  }

  /** Makes a process fail at its next start. */
  breakProcess(name: NodeProcess, reason: string): void {
    const line = `process.env.FAIL_AT_START = ${JSON.stringify(reason)}\nawait import(${JSON.stringify(fakeService)})\n`
    writeFileSync(join(this.root, fileOf(name)), line)
  }

  async remove(): Promise<void> {
    for (const run of this.runs) await run.stop()
    await this.ports.release()
    rmSync(postgresDataDir(join(this.dataDir, 'postgres')), { recursive: true, force: true })
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** One `npm start`. */
export class Run {
  output = ''
  readonly ended: Promise<number | null>
  private readonly child: ChildProcess

  constructor(root: string, env: Record<string, string>, args: string[]) {
    const script = `import { runDevelopment } from ${JSON.stringify(join(import.meta.dirname, '../src/start/run-development.ts'))}
      await runDevelopment(${JSON.stringify(root)}, ${JSON.stringify(args)})`
    const { NODE_OPTIONS: _, ...inherited } = process.env
    this.child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      cwd: root,
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk) => (this.output += chunk))
    this.ended = new Promise((resolve) => this.child.once('close', resolve))
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  /** Waits until it says this. */
  async says(text: string | RegExp): Promise<void> {
    for (;;) {
      if (typeof text === 'string' ? this.output.includes(text) : text.test(this.output)) return
      const over = await Promise.race([
        this.ended.then(() => true),
        new Promise<boolean>((resolve) => this.child.stdout?.once('data', () => resolve(false))),
      ])
      if (over) throw new Error(`it ended without saying "${text}":\n${this.output}`)
    }
  }

  /** Ends the shell that ends what a killed start leaves behind. */
  killReaper(): void {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim().split(' ')
    const shells = children.filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sh')
    for (const pid of shells) process.kill(Number(pid), 'SIGKILL')
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM')
    await this.ended
  }
}
