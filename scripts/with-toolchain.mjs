// Runs a command with the pinned Node, after installing dependencies. Plain JavaScript without dependencies, because it
// must work in a fresh clone with Node 20 or newer.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stampFile = join(root, 'node_modules', '.installed')
const pinnedNode = join(root, 'node_modules', '.bin', 'node')
const installCommand = ['npx', '-y', 'pnpm@12', 'install', '--frozen-lockfile']

const commands = {
  start: ['packages/dev-env/src/main.ts'],
  test: ['scripts/test.mjs'],
  bench: ['bench/main.ts'],
  check: ['scripts/check.mjs'],
  generate: ['scripts/generate.mjs'],
  'make-env': ['packages/dev-env/src/compose/make-env.ts'],
  release: ['scripts/release.ts'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write'],
}

const [name, ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node ${process.versions.node} is too old: install Node 20 or later (the pinned one is then fetched by itself)`)
} else if (!command) {
  fail(`use: node scripts/with-toolchain.mjs <${Object.keys(commands).join('|')}> [arguments]`)
} else if (installed()) {
  run(command)
}

/** Installs from the lockfile, unless the stamp is current. */
function installed() {
  const wanted = fingerprint()
  if (existsSync(pinnedNode) && read(stampFile) === wanted) return true
  console.log(`installing the dependencies: ${installCommand.join(' ')}`)
  const [npx, ...rest] = installCommand
  const { status, signal, error } = spawnSync(npx, rest, { cwd: root, stdio: 'inherit' })
  if (status === 0 && existsSync(pinnedNode)) {
    writeFileSync(stampFile, wanted)
    return true
  }
  if (signal) process.exitCode = 128 + constants.signals[signal]
  else if (error?.code === 'ENOENT') fail('npx was not found: install npm, which comes with Node')
  else
    fail(
      'the dependencies could not be installed, the reason is above: if it is the network, check the connection or the proxy settings of npm and run this again; if the lockfile is out of date, run npx -y pnpm@12 install',
    )
  return false
}

/** Everything that determines node_modules, including the platform. */
function fingerprint() {
  const manifests = ['.', ...workspaces('services'), ...workspaces('packages'), 'bench'].map((folder) =>
    join(folder, 'package.json'),
  )
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    hash.update(`\0${file}\0${read(join(root, file)) ?? ''}`)
  }
  return hash.digest('hex')
}

function workspaces(folder) {
  const entries = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { withFileTypes: true }) : []
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort()
}

/**
 * Runs the command in its own process group and forwards signals: Ctrl-C reaches this process twice (terminal and npm),
 * but must reach the command once.
 */
function run([file, ...fixed]) {
  if (!existsSync(join(root, file))) {
    fail(`npm run ${name}: there is no ${file} yet`)
    return
  }
  const child = spawn(pinnedNode, [join(root, file), ...fixed, ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(root, '.local', 'compile-cache'),
      // Tells the command to end when this process is gone.
      NOTIFY_TOOLCHAIN: '1',
    },
  })
  let last = { signal: '', atMs: 0 }
  const passOn = (signal) => {
    const repeated = last.signal === signal && Date.now() - last.atMs < 500
    if (repeated || child.pid === undefined) return
    last = { signal, atMs: Date.now() }
    try {
      process.kill(-child.pid, signal)
    } catch {
      // The command has just ended.
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, passOn)
  if (process.env.npm_lifecycle_event) whenParentIsGone(() => passOn('SIGTERM'))
  child.on('error', (error) => fail(`${pinnedNode} cannot be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1)
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(each)
  })
}

/** npm may be killed without forwarding a signal. */
function whenParentIsGone(act) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    act()
  }, 1000)
  watch.unref()
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}
