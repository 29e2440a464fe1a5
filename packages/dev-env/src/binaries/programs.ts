export type ManagerName = 'apt-get' | 'brew' | 'dnf' | 'apk' | 'pacman' | 'zypper'

/** `start`: the system itself. Tests need what `start` needs, too. */
type Use = 'start' | 'test' | 'bench'

interface Program {
  use: Use
  /** Names that do the same job, best first. Default: the key. */
  names?: string[]
  /** The package that contains it, or several, separated by spaces. Default: the key. */
  packages?: Partial<Record<ManagerName, string>>
  /** Variable with the address of a running server that serves instead. */
  variable?: 'NATS_URL' | 'REDIS_URL'
  /** Unit that the package starts, where the program serves tests alone: masked, so that it takes no port. */
  unit?: string
}

const redis = 'redis'
const prometheus = 'prometheus'

const table = {
  'nats-server': { use: 'start', variable: 'NATS_URL' },
  'redis-server': {
    use: 'start',
    variable: 'REDIS_URL',
    // Some distributions have Valkey for Redis.
    names: ['redis-server', 'valkey-server'],
    packages: { brew: redis, dnf: redis, apk: redis, pacman: redis, zypper: redis },
  },
  pgbouncer: { use: 'test', unit: 'pgbouncer.service' },
  nginx: { use: 'test', unit: 'nginx.service' },
  chromium: {
    use: 'test',
    // The one without windows needs a third less CPU time.
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    packages: { 'apt-get': 'chromium-headless-shell' },
  },
  promtool: {
    use: 'test',
    packages: {
      'apt-get': prometheus,
      brew: prometheus,
      dnf: prometheus,
      apk: prometheus,
      pacman: prometheus,
      zypper: prometheus,
    },
    unit: 'prometheus.service',
  },
  faketime: { use: 'test', packages: { brew: 'libfaketime', apk: 'libfaketime', pacman: 'libfaketime' } },
  curl: { use: 'test' },
  python3: { use: 'test', packages: { brew: 'python', pacman: 'python' } },
  // The package has the name of the project: procps.
  ps: {
    use: 'test',
    packages: { 'apt-get': 'procps', dnf: 'procps-ng', apk: 'procps', pacman: 'procps-ng', zypper: 'procps' },
  },
  // Run the samples of the console; that in PHP needs the extension for curl.
  php: { use: 'test', packages: { 'apt-get': 'php-cli php-curl', dnf: 'php-cli' } },
  go: { use: 'test', packages: { 'apt-get': 'golang-go', dnf: 'golang' } },
  wrk: { use: 'bench' },
} satisfies Record<string, Program>

export type Binary = keyof typeof table

/** Every program outside of node_modules: what needs it, and which package of the machine brings it. */
export const programs: Record<Binary, Program> = table

/** What `npm start` or `npm test` needs. */
export function programsOf(use: 'start' | 'test'): Binary[] {
  const uses: Use[] = use === 'test' ? ['start', 'test'] : ['start']
  return (Object.keys(programs) as Binary[]).filter((name) => uses.includes(programs[name].use))
}
