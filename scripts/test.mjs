// The whole judgement of a checkout: the checks, then all tests. Arguments go to jest: `npm test -- services/gateway`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { runChecks } from './check.mjs'

const root = join(import.meta.dirname, '..')
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
const args = process.argv.slice(2)

const checked = args.length > 0 || (await runChecks())
const child = spawn(
  process.execPath,
  ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...args],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('close', (code) => {
  process.exitCode = checked ? (code ?? 1) : 1
})
