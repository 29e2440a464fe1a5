import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { type Binary, programs } from './programs.ts'

/** Where packages put servers; sbin folders are often missing in a user's PATH. */
const usualPlaces = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/sbin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/snap/bin',
]

interface FindOptions {
  path?: string
  places?: string[]
}

/** Looks for an executable in PATH and then in the usual places. */
export function findBinary(
  binary: Binary,
  { path = process.env.PATH ?? '', places = usualPlaces }: FindOptions = {},
): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...places]
  for (const name of programs[binary].names ?? [binary]) {
    for (const folder of folders) {
      const file = join(folder, name)
      if (isExecutable(file)) return file
    }
  }
  return undefined
}

/** What a person types to have it installed. */
const installedBy = { start: 'start', test: 'test', bench: 'run bench' }

/**
 * The path of an executable.
 * @throws StartupError when there is none
 */
export function requireBinary(binary: Binary, options?: FindOptions): string {
  const file = findBinary(binary, options)
  if (!file) {
    const { use, packages } = programs[binary]
    const aptPackage = packages?.['apt-get'] ?? binary
    throw new StartupError(
      `${binary} is not installed: npm ${installedBy[use]} installs it (Debian's package ${aptPackage})`,
    )
  }
  return file
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
