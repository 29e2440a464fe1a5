import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '../eventually.ts'
import { Child } from './child-process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'notify-child-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Leaves a process that prints `bye`, as a stack leaves one that other stacks use after it. */
class Leaving extends Child {
  protected override isFarewell(line: string): boolean {
    if (line === 'bye') this.release('has stopped')
    return line === 'bye'
  }
}

test('the log of a stack leaves out the lines that a process prints together with its farewell', async () => {
  const logFile = join(folder, 'log')
  const lines: string[] = []
  const child = new Leaving({
    name: 'leaving',
    command: process.execPath,
    args: ['-e', `process.stdout.write('hello\\nbye\\nlate\\n')`],
    env: {},
    cwd: folder,
    logFile,
    stopSignal: 'SIGTERM',
    ready: async () => true,
    onLine: (line) => void lines.push(line),
  })
  await child.start()
  await eventually(() => expect(child.running).toBe(false))
  expect([lines, readFileSync(logFile, 'utf8')]).toEqual([['hello'], 'hello\n'])
})
