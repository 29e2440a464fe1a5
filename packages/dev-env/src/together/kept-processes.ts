import type { ChildProcess } from 'node:child_process'

/** Processes without a stack, by the variables that they were started with. */
export type KeptProcesses = Map<string, ChildProcess[]>

const key = Symbol.for('notify.kept-processes')

/** The processes that outlive the file of tests in which they were started; none outside jest. */
export function keptProcesses(): KeptProcesses | undefined {
  return (globalThis as { [key]?: KeptProcesses })[key]
}

/** Keeps processes for all files of tests that share a worker of jest. @param global that of a file */
export function shareProcesses(global: object, kept: KeptProcesses): void {
  Object.defineProperty(global, key, { value: kept })
}
