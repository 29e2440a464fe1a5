import { StartupError } from '../startup-error.ts'
import { findBinary } from './find-binary.ts'
import { type PackageManager, packageManager } from './package-managers.ts'
import { type Binary, programs } from './programs.ts'
import { runInstaller } from './run-installer.ts'

interface InstallOptions {
  onProgress: (text: string) => void
  /** Where to look, and what to install with; for tests. */
  find?: (binary: Binary) => string | undefined
  manager?: PackageManager | undefined
}

/**
 * Makes sure that these programs are installed, with the machine's package manager when they are not.
 * @throws StartupError naming what is missing and the command that installs it
 */
export async function installMissing(binaries: readonly Binary[], options: InstallOptions): Promise<void> {
  const { onProgress, find = findBinary } = options
  const missing = binaries.filter((binary) => !find(binary))
  if (missing.length === 0) return
  const list = listOf(missing)
  const manager = 'manager' in options ? options.manager : packageManager()
  if (!manager) {
    const them = missing.length > 1 ? 'them' : 'it'
    throw new StartupError(
      `${list} not found, and no package manager that could install ${them}: install ${namesOf(missing)} by hand and put ${them} in PATH${orServers(missing)}`,
    )
  }
  const { steps, byHand } = manager.install(missing)
  if (!steps) throw new StartupError(`${list} not found: run ${byHand}, or put it in PATH${orServers(missing)}`)
  onProgress(`${list} not found: installing with ${manager.name}`)
  const failure = await runInstaller(steps, onProgress)
  const still = missing.filter((binary) => !find(binary))
  if (still.length === 0) return
  // Installed one by one: an unknown package must not keep the others from being installed.
  if (missing.length > 1) return await installEach(still, options)
  const reason = failure ?? 'the package has another name'
  throw new StartupError(`${list} could not be installed (${reason}): run ${byHand}`)
}

/** @throws StartupError with the message of each failure */
async function installEach(binaries: readonly Binary[], options: InstallOptions): Promise<void> {
  const failures: string[] = []
  for (const binary of binaries) {
    await installMissing([binary], options).catch((error: StartupError) => failures.push(error.message))
  }
  if (failures.length > 0) throw new StartupError(failures.join('; '))
}

/** How to do without an installation. No package of npm contains these servers. */
function orServers(binaries: readonly Binary[]): string {
  const variables = binaries.flatMap((binary) => programs[binary].variable ?? [])
  return variables.length === 0 ? '' : `, or set ${listOf(variables)} to use a running server`
}

/** With the other programs that do the same. */
const namesOf = (binaries: readonly Binary[]) =>
  listOf(binaries.map((name) => programs[name].names?.join(' or ') ?? name))

const listOf = (names: readonly string[]) => names.join(', ').replace(/, ([^,]+)$/, ' and $1')
