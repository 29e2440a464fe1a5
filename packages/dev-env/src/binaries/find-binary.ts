import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupError } from '../startup-error.ts'

/** What the machine's packages bring: the servers; the pooler, proxy, browser, Prometheus and clocks of tests; the load generator of benches. */
export type Binary =
  | 'nats-server'
  | 'redis-server'
  | 'pgbouncer'
  | 'nginx'
  | 'chromium'
  | 'promtool'
  | 'faketime'
  | 'wrk'

/** Names that do the same job, best first: some distributions have Valkey for Redis, and Chromium without windows needs a third less CPU. */
const names: Record<Binary, string[]> = {
  'nats-server': ['nats-server'],
  'redis-server': ['redis-server', 'valkey-server'],
  pgbouncer: ['pgbouncer'],
  nginx: ['nginx'],
  chromium: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  promtool: ['promtool'],
  faketime: ['faketime'],
  wrk: ['wrk'],
}

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

/** Looks for an executable in PATH and then in the usual places. */
export function findBinary(
  binary: Binary,
  { path = process.env.PATH ?? '', places = usualPlaces }: { path?: string; places?: string[] } = {},
): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...places]
  for (const name of names[binary]) {
    for (const folder of folders) {
      const file = join(folder, name)
      if (isExecutable(file)) return file
    }
  }
  return undefined
}

/**
 * The path of an executable.
 * @throws StartupError when there is none
 */
export function requireBinary(binary: Binary): string {
  const file = findBinary(binary)
  if (!file)
    throw new StartupError(
      `${binary} is not installed: npm start installs it, or install the package ${binary} yourself`,
    )
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
