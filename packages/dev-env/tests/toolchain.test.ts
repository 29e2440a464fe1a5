import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

const script = join(import.meta.dirname, '../../../scripts/with-toolchain.mjs')
let root: string

// A clone with an npx that stands for the registry: it counts its calls, and puts this Node in place.
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'notify clone '))
  mkdirSync(join(root, 'scripts'))
  mkdirSync(join(root, 'tools'))
  cpSync(script, join(root, 'scripts/with-toolchain.mjs'))
  writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'first')
  npx(`mkdir -p node_modules/.bin; ln -sf ${process.execPath} node_modules/.bin/node; echo called with "$@"`)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function npx(body: string): void {
  const file = join(root, 'tools/npx')
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
}

const env = () => ({ PATH: `${join(root, 'tools')}:/usr/bin:/bin` })

function run(...args: string[]) {
  return spawnSync(process.execPath, [join(root, 'scripts/with-toolchain.mjs'), ...args], {
    env: env(),
    encoding: 'utf8',
  })
}

function command(name: string, source: string): void {
  writeFileSync(join(root, 'scripts', name), source)
}

test('the dependencies are installed once, and again when the lockfile changes', () => {
  command('test.mjs', 'console.log("ran", process.argv.slice(2).join(" "))')
  const installation = 'called with -y pnpm@12 install --frozen-lockfile'
  const first = run('test', '--watch', 'x')
  expect(first.stdout).toContain(installation)
  expect(first.stdout).toContain('ran --watch x')
  expect(run('test').stdout).toBe('ran \n')
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'second')
  expect(run('test').stdout).toContain(installation)
})

test('a failed installation is repeated the next time, and says what to do', () => {
  command('test.mjs', '')
  npx('echo ERR_PNPM_META_FETCH_FAIL; exit 1')
  for (let i = 0; i < 2; i++) {
    const { status, stderr } = run('test')
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^the dependencies could not be installed, .* check the connection or the proxy settings .*\n$/,
    )
  }
})

test("the command's exit code is passed on, an ending by a signal too", () => {
  command('test.mjs', 'process.exit(23)')
  expect(run('test').status).toBe(23)
  command('check.mjs', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)')
  expect(run('check').status).toBe(137)
})

test('an unknown command is one line with those that there are', () => {
  const { status, stderr } = run('deploy')
  expect(status).toBe(1)
  expect(stderr).toBe(
    'use: node scripts/with-toolchain.mjs <start|test|bench|check|generate|make-env|release|format> [arguments]\n',
  )
})

test('a Ctrl-C that arrives from the terminal and from npm reaches the command once, and it may take its time', async () => {
  command(
    'test.mjs',
    `let count = 0
     let lastMs
     process.on('SIGINT', () => {
       count += 1
       lastMs = Date.now()
       console.log('interrupted')
       setTimeout(() => { console.log('count', count, 'at', lastMs); process.exit(5) }, 700)
     })
     setInterval(() => {}, 1000)
     console.log('waiting')`,
  )
  for (;;) {
    const parent = spawn(process.execPath, [join(root, 'scripts/with-toolchain.mjs'), 'test'], { env: env() })
    await says(parent, 'waiting')
    const rest = collect(parent)
    const beganMs = Date.now()
    parent.kill('SIGINT')
    await says(parent, 'interrupted')
    parent.kill('SIGINT')
    const sentMs = Date.now()
    const code = await new Promise((resolve) => parent.once('close', resolve))
    const arrivedMs = Number(/count \d at (\d+)/.exec(rest())?.[1])
    // Two that may have come half a second apart are two: then the machine was busy, and all is done again.
    if (Math.max(sentMs, arrivedMs) - beganMs >= 500) continue
    expect([code, rest()]).toEqual([5, expect.stringContaining('count 1')])
    return
  }
})

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  return () => text
}

function says(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => String(chunk).includes(text) && resolve())
  })
}
