// Runs the checks, then all tests. Arguments go to jest: `npm test -- services/gateway`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runChecks } from './check.mjs'

const root = join(import.meta.dirname, '..')
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
const args = process.argv.slice(2)
/** Jest's workers inherit them. With V8's default for young objects, a fifth of their CPU time collects garbage. */
const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=64']

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
    child = spawn(process.execPath, [...nodeOptions, jest, ...options], { cwd: root, stdio: 'inherit' })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Runs jest with a report. @returns exit code and reported files; none when it failed before running any */
async function testWithReport(options) {
  const folder = mkdtempSync(join(tmpdir(), 'notify-results-'))
  try {
    const file = join(folder, 'results.json')
    const code = await test(['--json', `--outputFile=${file}`, ...options])
    return { code, files: readReport(file) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults
  } catch {
    return []
  }
}

const isFailed = ({ status }) => status === 'failed'

/**
 * Runs all tests, then repeats failed files alone. A test that passes then is flaky, and fails the run except in CI.
 */
async function testAll() {
  const first = await testWithReport([])
  const failed = first.code === 0 || stopped ? [] : first.files.filter(isFailed)
  if (failed.length === 0) return first.code
  console.log(`\n${failed.length} test files failed; they are run again, one at a time:`)
  const again = await testWithReport(['--runInBand', '--runTestsByPath', ...failed.map(({ name }) => name)])
  const flaky = failed.flatMap((file) => flakyTestsOf(file, again.files))
  for (const { title, failure } of flaky) console.log(`\nFLAKY ${title}\n${failure}`)
  if (flaky.length > 0) console.log(`\n${flaky.length} flaky tests failed once and passed when repeated alone.`)
  return again.code === 0 && flaky.length > 0 && process.env.CI !== 'true' ? 1 : again.code
}

/** The tests of a file that passed only in the second run; the file itself if it failed outside its tests. */
function flakyTestsOf({ name, message, assertionResults }, filesAgain) {
  const again = filesAgain.find((file) => file.name === name)
  if (!again) return []
  const failed = assertionResults.filter(isFailed)
  if (failed.length === 0) return isFailed(again) ? [] : [{ title: relative(root, name), failure: message }]
  const failedAgain = new Set(again.assertionResults.filter(isFailed).map(({ fullName }) => fullName))
  return failed
    .filter(({ fullName }) => !failedAgain.has(fullName) && again.assertionResults.length > 0)
    .map(({ fullName, failureMessages }) => ({
      title: `${relative(root, name)}: ${fullName}`,
      failure: failureMessages.join('\n'),
    }))
}

if (args.length > 0) process.exitCode = await test(args)
else {
  const checked = await runChecks()
  const code = await testAll()
  process.exitCode = checked ? code : 1
}
