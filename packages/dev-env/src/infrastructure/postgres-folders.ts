import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'

/** The folder of Postgres's programs, its data folder, and the user that it runs as (if we are root, which it refuses). */
export interface PostgresFolders {
  bin: string
  version: string
  dataDir: string
  owner?: { uid: number; gid: number }
}

/**
 * Decides where Postgres can live. As root it must run as another user, and that user may be unable to enter the project
 * (a folder below /root or a 0700 temporary folder): then copies of the binaries and the data go to `shelter`, a folder
 * of this project below /var/tmp.
 * @param wantedDataDir where the data should lie
 */
export function postgresFolders(wantedDataDir: string, shelter = shelterOf(wantedDataDir)): PostgresFolders {
  const binaries = postgresBinaries()
  if (process.getuid?.() !== 0) {
    mkdirSync(dirname(wantedDataDir), { recursive: true })
    return { bin: join(binaries.native, 'bin'), version: binaries.version, dataDir: wantedDataDir }
  }
  const owner = unprivilegedUser()
  mkdirSync(dirname(wantedDataDir), { recursive: true })
  const bin = runsAs(owner, join(binaries.native, 'bin', 'postgres'))
    ? join(binaries.native, 'bin')
    : copyBinaries(binaries, owner, shelter)
  const dataDir = reaches(owner, dirname(wantedDataDir))
    ? wantedDataDir
    : join(safeShelter(shelter), nameOf(wantedDataDir))
  return { bin, version: binaries.version, dataDir, owner }
}

/** Makes the data folder, empty, for its owner alone. */
export function makeDataFolder({ dataDir, owner }: PostgresFolders): void {
  mkdirSync(dataDir, { recursive: true })
  chmodSync(dataDir, 0o700)
  if (owner) chownSync(dataDir, owner.uid, owner.gid)
}

/** The unprivileged user for servers that refuse to run as root. @throws StartupError when the machine has none */
export function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const found = idsOf(name)
    if (found && found.uid !== 0) return found
  }
  spawnSync('useradd', ['--system', '--no-create-home', 'postgres'], { stdio: 'ignore' })
  const made = idsOf('postgres')
  if (made) return made
  throw new StartupError(
    'Postgres refuses to run as root and there is no user postgres or nobody: useradd --system postgres',
  )
}

function idsOf(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

type Owner = { uid: number; gid: number }

function runsAs(owner: Owner, binary: string): boolean {
  return spawnSync(binary, ['--version'], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0
}

function reaches(owner: Owner, folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', folder], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0
}

function nameOf(path: string): string {
  return `data-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

function shelterOf(dataDir: string): string {
  // The compiled-in path of this file names the project, wherever the data folder is.
  const project = join(import.meta.dirname, '..', '..', '..', '..')
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 12)
  return join(dataDir.startsWith('/var/tmp') ? '/tmp' : '/var/tmp', `notify-${hash}`)
}

/** Makes the shelter. Anyone may write to /var/tmp: a folder of another user is not trusted. */
function safeShelter(shelter: string): string {
  mkdirSync(shelter, { recursive: true, mode: 0o755 })
  const found = lstatSync(shelter)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new StartupError(`${shelter} belongs to another user: remove it, Postgres' files are kept there`)
  }
  return shelter
}

function copyBinaries({ native, version }: PostgresBinaries, owner: Owner, shelter: string): string {
  const copy = join(safeShelter(shelter), `postgres-${version}`)
  const bin = join(copy, 'bin')
  if (runsAs(owner, join(bin, 'postgres'))) return bin
  const half = `${copy}.${process.pid}`
  cpSync(native, half, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(half, copy)
  } catch {
    // Another start was faster, or an old copy is broken: the later copy replaces it.
    if (!runsAs(owner, join(bin, 'postgres'))) {
      rmSync(copy, { recursive: true, force: true })
      renameSync(half, copy)
    }
    rmSync(half, { recursive: true, force: true })
  }
  if (!runsAs(owner, join(bin, 'postgres'))) {
    throw new StartupError(
      `Postgres cannot be run from ${copy} (mounted noexec?): set POSTGRES_URL to a server of yours`,
    )
  }
  return bin
}
