import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fingerprint } from '../fingerprint.ts'
import { StartupError } from '../startup-error.ts'

const projectRoot = join(import.meta.dirname, '..', '..', '..', '..')
const sources = [
  'packages/console/{src,public}/**/*.*',
  'packages/console/{index.html,package.json,vite.config.ts}',
  'packages/{sdk,templates}/src/**/*.ts',
  'packages/contracts/src/time-zone.ts',
  'pnpm-lock.yaml',
]

/**
 * Builds the operators' console into `packages/console/dist`, unless the output belongs to the present sources. Processes
 * may call it at the same time: each builds apart, and replaces the output in one step.
 * @throws StartupError with what the build printed
 */
export async function buildConsole(root = projectRoot, onProgress: (text: string) => void = () => {}): Promise<void> {
  const folder = join(root, 'packages', 'console')
  if (!existsSync(join(folder, 'vite.config.ts'))) return
  const output = join(folder, 'dist')
  const wanted = fingerprint(root, sources)
  if (stampOf(output) === wanted) return
  onProgress('building the console')
  const fresh = join(folder, 'node_modules', `.build-${randomBytes(4).toString('hex')}`)
  mkdirSync(fresh, { recursive: true })
  try {
    await runVite(folder, fresh)
    writeFileSync(join(fresh, '.sources'), wanted)
    rmSync(`${fresh}-old`, { recursive: true, force: true })
    if (existsSync(output)) renameSync(output, `${fresh}-old`)
    renameSync(fresh, output)
  } catch (error) {
    // Another process may have put the same output there between the two renames.
    if (stampOf(output) !== wanted) throw error
  } finally {
    for (const each of [fresh, `${fresh}-old`]) rmSync(each, { recursive: true, force: true })
  }
}

async function runVite(folder: string, output: string): Promise<void> {
  const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js')
  const options = { cwd: folder, env: { ...process.env, NODE_ENV: 'production' }, timeout: 120_000 }
  const args = [vite, 'build', '--outDir', output, '--emptyOutDir', '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, args, options).catch((error: { stdout?: string; stderr?: string }) => {
    throw new StartupError(`the console cannot be built: ${error.stderr || error.stdout || error}`)
  })
}

function stampOf(output: string): string | undefined {
  const file = join(output, '.sources')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
