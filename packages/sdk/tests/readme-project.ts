import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage } from '../../../scripts/build-package.ts'

const source = join(import.meta.dirname, '..')
const root = join(source, '..', '..')

/** A customer's project: the built package among its modules, and as files the examples of its README and of the root's. */
export class ReadmeProject {
  readonly examples: readonly string[]
  private readonly folder = mkdtempSync(join(tmpdir(), 'notify-readme-'))
  private readonly built = mkdtempSync(join(source, 'node_modules', '.built-'))

  constructor() {
    buildPackage(source, this.built)
    const modules = join(this.folder, 'node_modules')
    mkdirSync(join(modules, '@notify'), { recursive: true })
    symlinkSync(this.built, join(modules, '@notify', 'sdk'))
    symlinkSync(join(root, 'node_modules', '@types'), join(modules, '@types'))
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}')
    const readmes = [source, root].map((folder) => readFileSync(join(folder, 'README.md'), 'utf8')).join('')
    this.examples = [...readmes.matchAll(/```ts\n(.*?)```/gs)].map(([, code], at) => {
      writeFileSync(join(this.folder, `example-${at}.ts`), code!)
      return `example-${at}.ts`
    })
  }

  /** Writes what `npm start` tells about the running system. */
  writeDevFile(state: object): void {
    mkdirSync(join(this.folder, '.local'))
    writeFileSync(join(this.folder, '.local', 'dev.json'), JSON.stringify(state))
  }

  /** @throws Error with what the compiler says, when an example does not compile */
  compile(): void {
    const settings = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    try {
      execFileSync(process.execPath, [compiler, ...settings, ...this.examples], { cwd: this.folder, encoding: 'utf8' })
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout)
    }
  }

  start(example: string, env: Record<string, string>): { child: ChildProcess; output: () => string } {
    const child = spawn(process.execPath, [example], { cwd: this.folder, env: { PATH: process.env.PATH, ...env } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    return { child, output: () => output }
  }

  /** Runs an example to its end. @returns what it writes */
  async run(example: string, env: Record<string, string>): Promise<string> {
    const { child, output } = this.start(example, env)
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${example} ended with ${code}: ${output()}`)
    return output()
  }

  remove(): void {
    for (const folder of [this.folder, this.built]) rmSync(folder, { recursive: true, force: true })
  }
}
