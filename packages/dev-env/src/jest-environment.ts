import { createRequire } from 'node:module'
import { TestEnvironment } from 'jest-environment-node'
import { shareModules } from './shared-modules.ts'
import { type KeptProcesses, shareProcesses } from './together/kept-processes.ts'

type Options = ConstructorParameters<typeof TestEnvironment>

const load = createRequire(import.meta.url)
/** One for each worker of jest: this module is loaded once, outside the files of tests. */
const kept: KeptProcesses = new Map()

/** What jest notes of a file of tests. */
const notes = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES', 'WAIT_BEFORE_RETRY'].map(Symbol.for)

/** Node, where the files of tests that run in one worker use the same modules, and one after another the same processes. */
class KeepingEnvironment extends TestEnvironment {
  readonly #variables = { ...process.env }
  readonly #exit = this.global.process.exit

  constructor(...options: Options) {
    super(...options)
    shareProcesses(this.global, kept)
    shareModules(this.global, load)
  }

  override async teardown(): Promise<void> {
    this.fakeTimersModern?.useRealTimers()
    const { process } = this.global
    process.exit = this.#exit
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, this.#variables)
    for (const note of notes) Reflect.set(this.global, note, undefined)
  }
}

let environment: KeepingEnvironment | undefined

/** Jest calls it with `new`, which returns what it returns: the environment of the first file. */
export default function keepEnvironment(...options: Options): KeepingEnvironment {
  environment ??= new KeepingEnvironment(...options)
  return environment
}
