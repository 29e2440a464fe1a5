import { spawnSync } from 'node:child_process'
import { type Binary, type ManagerName, programs } from './programs.ts'

export interface Step {
  command: string[]
  /** A failure of this step does not end the installation. */
  optional?: boolean
}

interface Manager {
  name: ManagerName
  /** Brings the package lists up to date. */
  refresh?: string[]
  /** Keeps the service of a package from starting and taking its port. */
  mask?: string[]
  install: string[]
  /** Works as the user, and refuses root. */
  asUser?: boolean
}

const managers: Manager[] = [
  {
    name: 'apt-get',
    refresh: ['apt-get', 'update'],
    mask: ['systemctl', 'mask'],
    install: ['apt-get', 'install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'],
  },
  { name: 'brew', install: ['brew', 'install'], asUser: true },
  { name: 'dnf', install: ['dnf', 'install', '-y'] },
  { name: 'apk', install: ['apk', 'add', '--no-cache'] },
  { name: 'pacman', install: ['pacman', '-Sy', '--noconfirm', '--needed'] },
  { name: 'zypper', install: ['zypper', '--non-interactive', 'install'] },
]

export interface Installation {
  /** Absent when we may not install: neither root nor sudo without a password. */
  steps?: Step[]
  /** What a person would type. */
  byHand: string
}

export interface PackageManager {
  name: string
  install: (binaries: readonly Binary[]) => Installation
}

/** The machine's package manager, if it is one that we know. */
export function packageManager(): PackageManager | undefined {
  const manager = managers.find(({ name }) => works(['sh', '-c', `command -v ${name}`]))
  if (!manager) return undefined
  return { name: manager.name, install: (binaries) => plan(manager, binaries) }
}

function plan({ name, refresh, mask, install, asUser = false }: Manager, binaries: readonly Binary[]): Installation {
  const command = [
    ...install,
    ...binaries.flatMap((binary) => (programs[binary].packages?.[name] ?? binary).split(' ')),
  ]
  const root = process.getuid?.() === 0
  const byHand = [...(asUser || root ? [] : ['sudo']), ...command]
    .filter((word) => !/^(-o|DPkg.*)$/.test(word))
    .join(' ')
  const prefix = asUser || root ? [] : ['sudo', '-n']
  const allowed = asUser ? !root : root || works(['sudo', '-n', 'true'])
  if (!allowed) return { byHand }
  const steps: Step[] = [{ command: [...prefix, ...command] }]
  const units = binaries.flatMap((binary) => programs[binary].unit ?? [])
  if (mask && units.length > 0) steps.unshift({ command: [...prefix, ...mask, ...units], optional: true })
  if (refresh) steps.unshift({ command: [...prefix, ...refresh], optional: true })
  return { steps, byHand }
}

function works([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
