import { TestEnvironment } from 'jest-environment-node'
import { shareLibraries } from './jest-libraries.ts'
import { type KeptProcesses, shareProcesses } from './together/kept-processes.ts'

/** One for each worker of jest: this module is loaded once, outside the files of tests. */
const kept: KeptProcesses = new Map()

/** Node, where the files of tests that run in one worker use the same libraries, and one after another the same processes. */
export default class KeepingEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup()
    shareProcesses(this.global, kept)
    shareLibraries(this.global)
  }
}
