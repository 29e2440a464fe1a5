import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runInstaller } from '../binaries/run-installer.ts'
import { type FreshProject, freshModules, freshProjects, lockOf } from './fresh-modules.ts'

const say = (text: string) => process.stderr.write(`${text}\n`)

/**
 * Installs the modules of a customer's fresh projects from npm, before the first test. A failure is written here, and fails
 * the tests of these projects; the others run.
 */
export async function installFreshProjects(): Promise<void> {
  const missing = freshProjects.filter((name) => !existsSync(freshModules(name)))
  if (missing.length === 0) return
  say(`Before the first test, the modules of fresh projects are installed from npm: ${missing.join(', ')}.`)
  for (const name of missing) {
    const failure = await install(name)
    if (failure)
      say(`The modules of a fresh ${name} project could not be installed: ${failure}\nTests of it will fail.`)
  }
}

/** A machine without the registry must not wait for minutes. */
const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
const options = ['--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', ...retries]

async function install(name: FreshProject): Promise<string | undefined> {
  const folder = join(freshModules(name), '..')
  const unfinished = `${folder}-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(lockOf(name), file), join(unfinished, file))
  const command = ['npm', 'ci', '--prefix', unfinished, ...options]
  try {
    const failure = await runInstaller([{ command }], say)
    // Another run may have installed the same meanwhile.
    if (!failure && !existsSync(folder)) renameSync(unfinished, folder)
    return failure
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
