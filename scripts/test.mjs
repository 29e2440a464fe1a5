// The whole judgement of a checkout: the checks, then all tests. Arguments go to jest: `npm test -- services/gateway`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { runChecks } from './check.mjs'

const root = join(import.meta.dirname, '..')
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
const args = process.argv.slice(2)

let child
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopped = true
    child?.kill(signal)
  })

/** Runs jest. @returns its exit code */
function test(options) {
  return new Promise((resolve) => {
    child = spawn(
      process.execPath,
      ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...options],
      { cwd: root, stdio: 'inherit' },
    )
    child.on('close', (code) => resolve(code ?? 1))
  })
}

const checked = args.length > 0 || (await runChecks())
let code = await test(args)
if (code !== 0 && args.length === 0 && !stopped) {
  // Many tests wait for processes of theirs, and a busy machine may keep them waiting for too long. A defect fails again.
  console.log('\nWhat failed beside others is run again, alone:')
  code = await test(['--onlyFailures', '--runInBand'])
}
process.exitCode = checked ? code : 1
