import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { images } from '@notify/bundle/images'
import { loadConfig } from '@notify/service-kit'
import { containers, referencesIn, serviceContainers } from './compose-file.ts'
import { ComposeSecrets } from './compose-secrets.ts'
import { entryPoint, program } from './dockerfile.ts'
import { drainMsOf, readText, services, variablesOf } from './project.ts'

const all = Object.entries(containers)
const own = all.filter(([, { image }]) => image.startsWith('localhost/notify/'))

let secrets: ComposeSecrets
beforeAll(() => {
  secrets = new ComposeSecrets()
  expect(secrets.run().status).toBe(0)
})
afterAll(() => secrets.remove())

test('every service runs, dispatch once to accept and once to send', () => {
  expect([...new Set(serviceContainers.map(([, service]) => service))].sort()).toEqual(services)
  const roles = serviceContainers.flatMap(([name, , { environment }]) =>
    environment?.ROLE ? [[name, environment.ROLE]] : [],
  )
  expect(roles).toEqual([
    ['dispatch-api', 'api'],
    ['dispatch-worker', 'worker'],
    ['dispatch-sender', 'sender'],
  ])
})

test.each(serviceContainers)(
  '%s is given every variable that it requires, and none that it does not know',
  async (_name, service, container) => {
    const { known, required } = await variablesOf(service)
    const inFile = (name: string) => known.find((one) => `${one}_FILE` === name && !known.includes(name))
    const given = Object.keys(container.environment ?? {}).map((name) => inFile(name) ?? name)
    expect({
      missing: required.filter((name) => !given.includes(name)),
      unknown: given.filter((name) => !known.includes(name)),
    }).toEqual({ missing: [], unknown: [] })
    // A whole file would give each service every secret.
    expect(container.env_file).toBeUndefined()
  },
)

test.each(serviceContainers)('%s starts with its environment and its files', async (_name, service, container) => {
  const { schema } = await variablesOf(service)
  expect(() => loadConfig(schema as never, secrets.environmentOf(container))).not.toThrow()
})

test('the roles, schemas and streams of all services are made before any of them starts', () => {
  const passwords = Object.keys(containers.provision!.environment ?? {}).filter((name) =>
    name.endsWith('_DATABASE_PASSWORD_FILE'),
  )
  const expected = services.map((service) => `${service.replaceAll('-', '_').toUpperCase()}_DATABASE_PASSWORD_FILE`)
  expect(passwords.sort()).toEqual(expected.sort())
  for (const [, , container] of serviceContainers) {
    expect(container.depends_on).toMatchObject({
      provision: { condition: 'service_completed_successfully' },
      'provision-streams': { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
      nats: { condition: 'service_healthy' },
    })
  }
  expect(containers.gateway!.depends_on).toMatchObject({ redis: { condition: 'service_healthy' } })
})

test('only the gateway, the sandbox, the login, the dashboards and the traces can be reached, and from this machine alone', () => {
  const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port.split(':')[0]]))
  expect(published).toEqual([
    ['gateway', '127.0.0.1'],
    ['carrier-sandbox', '127.0.0.1'],
    ['identity-provider', '127.0.0.1'],
    ['grafana', '127.0.0.1'],
    ['jaeger', '127.0.0.1'],
  ])
})

test('addresses inside the network are those of containers', () => {
  const hosts = own.flatMap(([, { environment }]) =>
    Object.values(environment ?? {}).flatMap((value) => {
      const match = /^[a-z]+:\/\/(?:[^@]*@)?([a-z-]+):\d+/.exec(String(value))
      return match ? [match[1]!] : []
    }),
  )
  expect(new Set(hosts).size).toBeGreaterThan(5)
  expect(hosts.filter((host) => !(host in containers))).toEqual([])
})

test.each(own)(
  '%s runs without privileges, on a file system that it cannot change, and may drain',
  async (_name, container) => {
    expect(container).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '30s',
    })
    expect(drainMsOf(await variablesOf('gateway'), {})).toBeLessThan(30_000)
  },
)

test('no container can gain rights, and the broker has none', () => {
  const others = all.filter(([, { security_opt }]) => !security_opt?.includes('no-new-privileges:true'))
  expect(others.map(([name]) => name)).toEqual([])
  expect(containers.nats).toMatchObject({ cap_drop: ['ALL'] })
})

test('long-running processes are watched and restarted', () => {
  for (const [name, { healthcheck, restart }] of all) {
    if (name.startsWith('provision') || name === 'secrets') continue
    // The collector's image has nothing to ask it with.
    const isWatched = Array.isArray(healthcheck?.test) || name === 'otel-collector'
    expect([name, restart, isWatched]).toEqual([name, 'unless-stopped', true])
  }
})

test('images are pinned to a tag, and ours are built from the one Dockerfile', () => {
  for (const [name, { image }] of all)
    expect([name, image]).toEqual([name, expect.stringMatching(/^[a-z/-]+:(?!latest$)[\w.-]+$/)])
  const built = own.flatMap(([, { image, build }]) => (build ? [[image, build] as const] : []))
  expect(new Set(built.map(([image]) => image))).toEqual(new Set(own.map(([, { image }]) => image)))
  for (const [image, { dockerfile, args }] of built) {
    expect(dockerfile).toBe('infra/Dockerfile')
    expect(image).toBe(`localhost/notify/${args.IMAGE}:dev`)
    expect(Object.keys(images)).toContain(args.IMAGE)
  }
})

test('ours are always built here: a stranger cannot publish an image of such a name', () => {
  for (const [name, { build, pull_policy }] of own) expect([name, !!build, pull_policy]).toEqual([name, true, 'build'])
})

test.each(own)(
  '%s runs a program that its image has',
  (_name, { build, entrypoint = entryPoint, command = program }) => {
    const { programs } = images[build!.args.IMAGE!]!
    expect(entrypoint.slice(0, entryPoint.length)).toEqual(entryPoint)
    expect(Object.keys(programs)).toContain([...entrypoint, ...command][entryPoint.length])
  },
)

test('only what hands the secrets out runs as root; it may give files away, and reaches no network', () => {
  const privileged = own.filter(([, { user, cap_add }]) => user !== undefined || cap_add !== undefined)
  expect(privileged.map(([name]) => name)).toEqual(['secrets'])
  expect(containers.secrets).toMatchObject({ user: '0:0', cap_add: ['CHOWN'], network_mode: 'none' })
})

test('nothing starts before it has its secrets, and none is in a variable', () => {
  for (const [name, container] of all) {
    const told = JSON.stringify(container)
    if (name === 'secrets' || !told.includes('-secrets:')) continue
    expect([name, container.depends_on]).toEqual([
      name,
      expect.objectContaining({ secrets: { condition: 'service_completed_successfully' } }),
    ])
  }
  const secret = referencesIn(JSON.stringify(containers.secrets)).map(({ name }) => name)
  const harmless = ['GATEWAY_PORT', 'IDENTITY_PROVIDER_PORT', 'SANDBOX_PORT']
  const others = referencesIn(JSON.stringify(all.filter(([name]) => name !== 'secrets'))).map(({ name }) => name)
  expect(others.filter((name) => secret.includes(name) && !harmless.includes(name))).toEqual([])
})

test('the data of Postgres and NATS outlives their containers', () => {
  expect(containers.postgres!.volumes).toContain('postgres:/var/lib/postgresql')
  expect(containers.nats!.volumes).toContain('nats:/data')
  expect(containers.nats!.command).toEqual(['-c', '/etc/nats/nats.conf'])
  expect(readText('infra/nats/nats.conf')).toContain('store_dir: "/data"')
})

test.each(['docker-compose.yml', 'infra/env.example', 'infra/README.md'])(
  '%s says that a changed password of the superuser needs a statement, because Postgres reads it for new data only',
  (file) => {
    expect(readText(file)).toMatch(/Existing data[\s\S]{1,100}POSTGRES_PASSWORD[\s\S]{1,150}\balter role\b/)
  },
)

test('env.example names every variable that compose reads, and no value', () => {
  const lines = readText('infra/env.example').split('\n')
  const required = lines.flatMap((line) => /^([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
  const optional = lines.flatMap((line) => /^# ([A-Z_]+)=/.exec(line)?.[1] ?? [])
  const read = referencesIn(readText('docker-compose.yml').replaceAll(/^ *#.*$/gm, ''))
  const all = [...new Set(read.map(({ name }) => name))].sort()
  expect(required.filter((_, i) => i % 2 === 1).filter((value) => value !== '')).toEqual([])
  const names = required.filter((_, i) => i % 2 === 0)
  expect([...names, ...optional].sort()).toEqual(all)
  // Those that are given together or not at all.
  const given = Object.entries(containers.secrets!.environment!).filter(([name, value]) => value === `\${${name}:-}`)
  expect(names.sort()).toEqual(given.map(([name]) => name).sort())
})
