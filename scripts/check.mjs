// Static checks: types, style, regular expressions, architecture, dead code, generated files, and the rules of tests/architecture.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { rulesOfImports, rulesOfTests } from './house-rules.mjs'

const root = join(import.meta.dirname, '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
/** Each checker keeps what it found of unchanged files here, compared by content. */
const cache = (name) => join('node_modules', '.cache', 'check', name)
// More checkers repeat much of each other's work; the other checks run beside this one.
const types = (config) => {
  const incremental = ['--incremental', '--tsBuildInfoFile', cache(`${config}.build-info`)]
  return [bin('tsc'), '--noEmit', '--checkers', '1', ...incremental, '-p', config]
}
const checks = {
  types: types('tsconfig.json'),
  'types of pages': types('tsconfig.browser.json'),
  style: [bin('biome'), 'check', '--error-on-warnings', '.'],
  'regular expressions': [
    process.execPath,
    'node_modules/eslint/bin/eslint.js',
    '--max-warnings',
    '0',
    ...['--cache', '--cache-strategy', 'content', '--cache-location', cache('eslint.json')],
    'services',
    'packages',
  ],
  architecture: [
    bin('depcruise'),
    ...['--config', '.dependency-cruiser.cjs', '--cache', cache('dependencies'), '--cache-strategy', 'content'],
    ...['services', 'packages', 'bench'],
  ],
  'dead code': [bin('knip'), '--cache', '--cache-location', cache('knip')],
  'generated files': [process.execPath, 'scripts/generate.mjs', '--check'],
}

const tests = rulesOfTests()
const quick = tests.filter(({ isSlow }) => !isSlow)
const listOf = (files) => files.flatMap(({ path, titles }) => [path, ...titles.map((title) => `  ${title}`)])

/** The part of tests/architecture that needs no processes; `npm test` runs all of it. */
const rules = [
  process.execPath,
  ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
  ...['--silent', '--runTestsByPath', ...quick.map(({ path }) => path)],
]

/** What a check has held, where that is more than its name. */
const held = { architecture: rulesOfImports, rules: () => listOf(quick) }

/** Runs a check and buffers its output, so that outputs do not mix. */
function runCheck([command, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', (code) => resolve({ passed: code === 0, output }))
  })
}

/** Most checks use one processor, so some run side by side. */
export async function runChecks(chosen = checks) {
  let passed = true
  const waiting = Object.entries(chosen)
  const runInTurn = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, command] = next
      const started = performance.now()
      const result = await runCheck(command)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${result.passed ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
      if (result.passed) {
        for (const rule of held[name]?.() ?? []) console.log(`       ${rule}`)
        continue
      }
      console.log(result.output)
      passed = false
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, runInTurn))
  return passed
}

if (import.meta.main) {
  process.exitCode = (await runChecks({ ...checks, rules })) ? 0 : 1
  console.log('\nnpm test also holds:')
  for (const line of listOf(tests.filter(({ isSlow }) => isSlow))) console.log(`       ${line}`)
}
