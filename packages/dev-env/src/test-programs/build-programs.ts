import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serviceNames } from '@notify/contracts'
import { fingerprint } from '../fingerprint.ts'
import { messageOf } from '../startup-error.ts'
import { programsVariable } from './program-path.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const read = ['{services,packages}/*/src/**/*.ts', 'services/*/package.json', 'pnpm-lock.yaml']
/** Programs that tests start often, and what a process with several services loads of each. */
const sources = [
  ...serviceNames.flatMap((name) => ['main', 'service', 'config'].map((part) => `services/${name}/src/${part}.ts`)),
  ...['main', 'run'].map((part) => `packages/carrier-sandbox/src/${part}.ts`),
  ...['main', 'serve'].map((part) => `packages/dev-env/src/identity-provider/${part}.ts`),
  'packages/dev-env/src/together/main.ts',
]
const dayMs = 86_400_000

/**
 * Bundles the programs that tests start, unless the bundles of these sources are there, and names their folder to all tests.
 * When that fails, tests start the sources.
 */
export async function buildPrograms(): Promise<void> {
  const all = join(root, '.local', 'test-programs')
  const folder = join(all, fingerprint(root, read).slice(0, 16))
  if (!existsSync(folder)) {
    mkdirSync(all, { recursive: true })
    removeOld(all)
    await bundle(folder).catch((error: unknown) => process.stderr.write(`no bundles for tests: ${messageOf(error)}\n`))
  }
  if (existsSync(folder)) process.env[programsVariable] = folder
}

async function bundle(folder: string): Promise<void> {
  const fresh = `${folder}-${randomBytes(4).toString('hex')}`
  const main = join(root, 'packages/bundle/src/programs-main.ts')
  try {
    await promisify(execFile)(process.execPath, [main, fresh, ...sources])
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another run may have made the same.
    if (!existsSync(folder)) throw error
  }
}

/** Removes builds older than a day; a running test may still use newer ones. */
function removeOld(all: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name)
    if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true })
  }
}
