import { createRequire } from 'node:module'
import { TestEnvironment } from 'jest-environment-node'
import { shareModules } from './shared-modules.ts'
import { type KeptProcesses, shareProcesses } from './together/kept-processes.ts'

const load = createRequire(import.meta.url)
/** One for each worker of jest: this module is loaded once, outside the files of tests. */
const kept: KeptProcesses = new Map()

/** Node, where the files of tests that run in one worker use the same libraries, and one after another the same processes. */
export default class KeepingEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup()
    shareProcesses(this.global, kept)
    shareModules(this.global, load)
  }
}
