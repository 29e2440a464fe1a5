import { expect, test } from '@jest/globals'
import { images } from '../../packages/bundle/src/images.ts'
import { containers, environmentOf, referencesIn, serviceContainers } from './compose-file.ts'
import { program } from './dockerfile.ts'
import { makeEnvironment } from './make-environment.ts'
import { drainMsOf, readText, services, variablesOf } from './project.ts'

const all = Object.entries(containers)
const own = all.filter(([, { image }]) => image.startsWith('localhost/notify/'))
const made = makeEnvironment()

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
    const given = Object.keys(container.environment ?? {})
    expect({
      missing: required.filter((name) => !given.includes(name)),
      unknown: given.filter((name) => !known.includes(name)),
    }).toEqual({ missing: [], unknown: [] })
    // A whole file would give each service every secret.
    expect(container.env_file).toBeUndefined()
  },
)

test.each(serviceContainers)(
  '%s starts with the environment that make-env.mjs writes',
  async (_name, service, container) => {
    const { schema } = await variablesOf(service)
    const given = Object.entries(environmentOf(container, made.values)).filter(([, value]) => value !== '')
    expect(schema.safeParse(Object.fromEntries(given)).error?.issues).toBeUndefined()
  },
)

test('only the gateway holds the key that signs principals', () => {
  const holders = all.filter(([, container]) => JSON.stringify(container).includes('PRINCIPAL_SIGNING_KEY'))
  expect(holders.map(([name]) => name)).toEqual(['gateway'])
})

test.each([
  ['OTP_SIGNING_KEY', ['otp']],
  ['DISPATCH_SIGNING_KEY', ['dispatch-api', 'dispatch-worker', 'dispatch-sender']],
])('only the service itself holds %s', (key, processes) => {
  const holders = all.filter(([, container]) => JSON.stringify(container).includes(key))
  expect(holders.map(([name]) => name).filter((name) => !name.endsWith('-migration'))).toEqual(processes)
})

test('a service knows no password but those of its own role and its own user', () => {
  for (const [name, service, container] of serviceContainers) {
    const passwords = referencesIn(JSON.stringify(container)).filter((reference) => reference.name.endsWith('PASSWORD'))
    const prefix = service.replaceAll('-', '_').toUpperCase()
    const expected = [`${prefix}_DATABASE_PASSWORD`, `${prefix}_NATS_PASSWORD`]
    if (service === 'gateway' || service === 'otp') expected.push('REDIS_PASSWORD')
    expect([name, ...new Set(passwords.map((reference) => reference.name))]).toEqual([name, ...expected])
  }
})

test('the roles, schemas and streams of all services are made before any of them starts', () => {
  const passwords = Object.keys(containers.provision!.environment ?? {}).filter((name) =>
    name.endsWith('_DATABASE_PASSWORD'),
  )
  const expected = services.map((service) => `${service.replaceAll('-', '_').toUpperCase()}_DATABASE_PASSWORD`)
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

test('what runs for long is watched and started again', () => {
  for (const [name, { healthcheck, restart }] of all) {
    if (name.startsWith('provision')) continue
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

test.each(own)('%s runs a program that its image has', (_name, { build, command }) => {
  const { programs } = images[build!.args.IMAGE!]!
  expect(Object.keys(programs)).toContain((command ?? program)[0])
})

test('the data of Postgres and NATS outlives their containers', () => {
  expect(containers.postgres!.volumes).toEqual(['postgres:/var/lib/postgresql'])
  expect(containers.nats!.volumes).toEqual(['nats:/data', './infra/nats:/etc/nats:ro'])
  expect(containers.nats!.command).toEqual(['-c', '/etc/nats/nats.conf'])
  expect(readText('infra/nats/nats.conf')).toContain('store_dir: "/data"')
})

test('env.example names every variable that compose reads, and no value', () => {
  const lines = readText('infra/env.example').split('\n')
  const required = lines.flatMap((line) => /^([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
  const optional = lines.flatMap((line) => /^# ([A-Z_]+)=/.exec(line)?.[1] ?? [])
  const read = referencesIn(readText('docker-compose.yml'))
  const names = (references: typeof read) => [...new Set(references.map(({ name }) => name))].sort()
  expect(required.filter((_, i) => i % 2 === 1).filter((value) => value !== '')).toEqual([])
  expect(required.filter((_, i) => i % 2 === 0).sort()).toEqual(
    names(read.filter(({ fallback }) => fallback === undefined)),
  )
  expect(optional.sort()).toEqual(names(read.filter(({ fallback }) => fallback !== undefined)))
})
