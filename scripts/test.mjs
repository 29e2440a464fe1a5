// The whole judgement of a checkout: the checks, then all tests. Arguments go to jest: `npm test -- services/gateway`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

/** The test files that failed; none when jest itself did, before any of them ran. */
function failedFiles(resultFile) {
  try {
    const { testResults } = JSON.parse(readFileSync(resultFile, 'utf8'))
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  } catch {
    return []
  }
}

/**
 * Runs all tests; what failed beside others is run again alone. Many wait for processes of theirs, and a busy machine may keep
 * them waiting for too long. A defect fails again.
 */
async function testAll() {
  const dir = mkdtempSync(join(tmpdir(), 'notify-results-'))
  try {
    const resultFile = join(dir, 'results.json')
    const code = await test(['--json', `--outputFile=${resultFile}`])
    const failed = code === 0 || stopped ? [] : failedFiles(resultFile)
    if (failed.length === 0) return code
    console.log(`\n${failed.length} test files failed beside others; they are run again, alone:`)
    return await test(['--runInBand', '--runTestsByPath', ...failed])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

if (args.length > 0) process.exitCode = await test(args)
else {
  const checked = await runChecks()
  const code = await testAll()
  process.exitCode = checked ? code : 1
}
