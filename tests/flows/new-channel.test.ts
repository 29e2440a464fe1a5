import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changes as carrierChanges } from './new-carrier/changes.ts'
import { changes } from './new-channel/changes.ts'

const root = join(import.meta.dirname, '..', '..')
/** A copy of the project with a new channel, `push`, with its carrier, and a new carrier of SMS, `texter`. */
let copy: string
const notCopied = /\/(?:\.local|dist|tests)(?:\/|$)|\.test\.ts$/

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'notify-new-channel-'))
  for (const { name } of readdirSync(root, { withFileTypes: true })) {
    if (['.git', '.local', 'bench', 'node_modules', 'tests'].includes(name)) continue
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !notCopied.test(path.slice(root.length)),
    })
  }
  linkModules()
  for (const added of ['new-channel', 'new-carrier']) {
    cpSync(join(import.meta.dirname, added, 'added'), copy, { recursive: true })
  }
  for (const { file, edits } of [...changes, ...carrierChanges])
    writeFileSync(join(copy, file), edits.reduce(edited, readFileSync(join(copy, file), 'utf8')))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function edited(text: string, [find, replacement]: readonly [string, string]): string {
  expect(text.split(find)).toHaveLength(2)
  return text.replace(find, () => replacement)
}

/** Libraries are those of the project; its own packages are the copies. */
function linkModules(): void {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  cpSync(join(from, '@notify'), join(to, '@notify'), { recursive: true, verbatimSymlinks: true })
  for (const name of readdirSync(from)) if (name !== '@notify') symlinkSync(join(from, name), join(to, name))
}

/** Without the variables of this test run, which name programs and a database of the unchanged project. */
const { PATH, HOME } = process.env
const node = (...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: copy, env: { PATH, HOME }, encoding: 'utf8', stdio: 'pipe' })

test('a channel of a new name changes at most eight existing files, a carrier of a known one at most four', () => {
  expect([changes, carrierChanges].map(({ length }) => length)).toEqual([8, 3])
})

test('a new channel and a new carrier are accepted, sent, reported and shown, and the console builds with them', () => {
  node('scripts/generate.mjs')
  for (const config of ['tsconfig.json', 'tsconfig.browser.json']) {
    const args = ['--noEmit', '--checkers', '1', '-p', config]
    const { status, stdout } = spawnSync('node_modules/.bin/tsc', args, { cwd: copy, encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  }
  const output = node('packages/test-kit/src/push-flow.ts')
  expect(JSON.parse(/^RESULT (.*)$/m.exec(output)![1]!)).toEqual({
    provider: 201,
    preview: { push: { alert: 'Order A-1 is on its way, Ada' } },
    refused: [422, 'validation_failed'],
    activity: { status: 'delivered', channel: 'push', recipient: 'ph***' },
    sandbox: [{ channel: 'push', text: 'Order A-1 is on its way, Ada' }],
    documented: true,
    texter: {
      ...{ provider: 201, opened: 201, sandbox: 'Texter' },
      attempt: { status: 'delivered', outcome: 'accepted' },
    },
  })
})
