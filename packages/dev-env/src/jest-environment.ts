import { TestEnvironment } from 'jest-environment-node'
import { type KeptProcesses, shareProcesses } from './together/kept-processes.ts'

/** One for each worker of jest: this module is loaded once, outside the files of tests. */
const kept: KeptProcesses = new Map()

/** Node, where the files of tests that run in one worker use the same processes one after another. */
export default class KeepingEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup()
    shareProcesses(this.global, kept)
  }
}
