import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BootstrapDocument, KeyPermission, OperatorPermission } from '@notify/contracts'
import { containers, environmentOf, volumesOf } from './compose-file.ts'
import { ComposeSecrets } from './compose-secrets.ts'
import { makeEnvironment } from './make-environment.ts'
import { services } from './project.ts'

const opened: ComposeSecrets[] = []
function newVolumes(): ComposeSecrets {
  const volumes = new ComposeSecrets()
  opened.push(volumes)
  return volumes
}
afterAll(() => {
  for (const volumes of opened) volumes.remove()
})

const stateIn = ({ folder }: ComposeSecrets) => join(folder, 'state', 'secrets.json')
/** Every file of every container. */
const contentOf = ({ folder }: ComposeSecrets) =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

let volumes: ComposeSecrets
let values: Record<string, string>
beforeAll(() => {
  volumes = newVolumes()
  const { status, stderr, stdout } = volumes.run()
  expect([status, stderr, stdout]).toEqual([0, '', 'the secrets are in place\n'])
  values = JSON.parse(readFileSync(stateIn(volumes), 'utf8')).values
})

const runs = Object.entries(containers).filter(([name]) => name !== 'secrets')

test.each(runs)('%s finds every file that its configuration names, and no other', (name, container) => {
  const told = JSON.stringify([environmentOf(container, {}), container.command, container.healthcheck])
  const named = [...told.matchAll(/\/(?:run\/secrets|etc\/nats)\/[\w.]+/g)].map(([path]) => path)
  // nats.conf includes it.
  const included = name === 'nats' ? ['/etc/nats/authorization.conf'] : []
  const found = Object.keys(volumes.filesOf(container)).filter((path) => !bootstrapUnread(name, path))
  expect(found.sort()).toEqual([...new Set([...named, ...included])].sort())
})

/** Three containers run dispatch, and share its secrets; one of them reads the document. */
function bootstrapUnread(name: string, path: string): boolean {
  return ['dispatch-worker', 'dispatch-sender'].includes(name) && path.endsWith('/bootstrap.json')
}

/** The containers whose files contain a secret. */
function readersOf(secret: string): string[] {
  const holders = runs.filter(([, container]) => Object.values(volumes.filesOf(container)).some(contains(secret)))
  return holders.map(([name]) => name).sort()
}
const contains = (secret: string) => (text: string) => text.includes(secret) || text.includes(JSON.stringify(secret))

test('each secret can be read by those who need it, and by nobody else', () => {
  const dispatch = ['dispatch-api', 'dispatch-sender', 'dispatch-worker']
  const containersOf = (service: string) => (service === 'dispatch' ? dispatch : [service])
  const withKeys = [...dispatch, 'consent', 'inbox-stream', 'otp', 'webhook-delivery']
  const expected: Record<string, string[]> = {
    POSTGRES_PASSWORD: ['postgres', 'provision'],
    ADMIN_NATS_PASSWORD: ['nats', 'provision-streams'],
    REDIS_PASSWORD: ['gateway', 'otp', 'redis'],
    ENCRYPTION_KEYS: [...withKeys, 'callbacks'],
    GATEWAY_ENCRYPTION_KEYS: ['gateway'],
    BLIND_INDEX_KEY: [...withKeys, 'gateway'],
    FINGERPRINT_KEY: [...withKeys, 'gateway'],
    PRINCIPAL_SIGNING_KEY: ['gateway'],
    OTP_SIGNING_KEY: ['otp'],
    DISPATCH_SIGNING_KEY: dispatch,
    CALLBACKS_SIGNING_KEY: ['callbacks'],
    INBOX_STREAM_SIGNING_KEY: ['inbox-stream'],
    WEBHOOK_DELIVERY_SIGNING_KEY: ['webhook-delivery'],
    PRINCIPAL_JWKS: services.flatMap(containersOf),
    USER_TOKEN_KEYS: ['inbox-stream'],
    SERVICE_CLOUD_APP_SECRET: ['callbacks', 'carrier-sandbox'],
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: ['callbacks'],
    META_NUMBERS: ['carrier-sandbox'],
    IDP_JWKS: ['identity-provider'],
    IDP_CLIENTS: ['identity-provider'],
  }
  for (const service of services) {
    const prefix = service.replaceAll('-', '_').toUpperCase()
    expected[`${prefix}_DATABASE_PASSWORD`] = [...containersOf(service), 'provision']
    expected[`${prefix}_NATS_PASSWORD`] = [...containersOf(service), 'nats']
  }
  // The demo's accounts at the sandbox are in the document of the start too.
  const accounts = Object.keys(values).filter((name) => /^(TWILIO|SES)_/.test(name))
  expect(Object.keys(values).sort()).toEqual([...Object.keys(expected), ...accounts].sort())
  const found = Object.keys(expected).map((name) => [name, readersOf(values[name]!)])
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, readers]) => [name, readers.toSorted()])),
  )
})

test('the root secret is mounted by nobody else, and files are readable by their users alone', () => {
  const [state] = Object.entries(volumesOf(containers.secrets!)).find(([, target]) => target === '/secrets/state')!
  expect(runs.filter(([, container]) => state in volumesOf(container))).toEqual([])
  for (const name of Object.keys(contentOf(volumes))) {
    expect([name, statSync(join(volumes.folder, name)).mode & 0o777]).toEqual([name, 0o400])
  }
  for (const [name, { volumes: mounts = [] }] of runs) {
    const writable = mounts.filter(
      (mount) => typeof mount === 'string' && /-secrets:/.test(mount) && !mount.endsWith(':ro'),
    )
    expect([name, writable]).toEqual([name, []])
  }
  if (process.getuid?.() !== 0) return
  const ownerOf = (name: string) => statSync(join(volumes.folder, name)).uid
  expect(['consent/DATABASE_URL', 'redis/redis.conf', 'nats/nats.conf', 'state/secrets.json'].map(ownerOf)).toEqual([
    1000, 999, 0, 0,
  ])
})

test('the demo’s key and operator have every permission there is', () => {
  const document = BootstrapDocument.parse(JSON.parse(contentOf(volumes)['dispatch/bootstrap.json']!))
  expect(document.api_keys[0]!.permissions).toEqual(KeyPermission.options)
  const [operator] = JSON.parse(values.IDP_CLIENTS!)
  expect(operator.permissions).toEqual(OperatorPermission.options)
})

test('every start but the first keeps the secrets, and none prints any', () => {
  const before = contentOf(volumes)
  const { status, stdout, stderr } = volumes.run()
  expect([status, stdout, stderr]).toEqual([0, 'the secrets are in place\n', ''])
  expect(contentOf(volumes)).toEqual(before)
  expect(contentOf(newMade())).not.toEqual(before)
})

function newMade(): ComposeSecrets {
  const made = newVolumes()
  expect(made.run().status).toBe(0)
  return made
}

test('a file that was deleted is written again with the same secret, also after a start that was killed half way', () => {
  const made = newMade()
  const before = contentOf(made)
  rmSync(join(made.folder, 'gateway', 'DATABASE_URL'))
  rmSync(join(made.folder, 'redis'), { recursive: true })
  mkdirSync(join(made.folder, 'redis'))
  expect(made.run().status).toBe(0)
  expect(contentOf(made)).toEqual(before)
})

test('without what the secrets are made from, nothing is recreated: the start says what to do', () => {
  const made = newMade()
  rmSync(stateIn(made))
  const before = contentOf(made)
  const { status, stdout, stderr } = made.run()
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /state\/secrets\.json is missing.*Restore the volume "secrets".*docker compose down --volumes/s,
  )
  expect(contentOf(made)).toEqual(before)
})

test('the secrets of .env are read at every start, used unchanged, and never kept', () => {
  const given = newVolumes()
  const { values: env, bootstrapFile, remove } = makeEnvironment()
  expect(given.run({ ...env, BOOTSTRAP_FILE: bootstrapFile }).status).toBe(0)
  const written = contentOf(given)
  expect(written['consent/ENCRYPTION_KEYS']).toBe(env.ENCRYPTION_KEYS)
  expect(JSON.parse(written['state/secrets.json']!)).toEqual({ given: true })
  expect(BootstrapDocument.parse(JSON.parse(written['dispatch/bootstrap.json']!)).providers).toHaveLength(5)
  const rotated = `new:${Buffer.alloc(32, 1).toString('base64')},${env.ENCRYPTION_KEYS}`
  expect(given.run({ ...env, BOOTSTRAP_FILE: bootstrapFile, ENCRYPTION_KEYS: rotated }).status).toBe(0)
  expect(contentOf(given)).toEqual({ ...written, ...changed(written, 'ENCRYPTION_KEYS', rotated) })
  expect(given.run().stderr).toContain('earlier starts took the secrets from .env')
  remove()
})

/** The files of this name, but the gateway's, which has keys of its own. */
function changed(files: Record<string, string>, name: string, text: string): Record<string, string> {
  const names = Object.keys(files).filter((file) => file.endsWith(`/${name}`) && !file.startsWith('gateway/'))
  return Object.fromEntries(names.map((file) => [file, text]))
}

test('.env gives all secrets with their document, or none', () => {
  const { values: env, bootstrapFile, remove } = makeEnvironment()
  const { REDIS_PASSWORD: _, ...most } = env
  const empty = newVolumes()
  expect(empty.run({ ...most, BOOTSTRAP_FILE: bootstrapFile }).stderr).toContain('but not REDIS_PASSWORD')
  const { BOOTSTRAP_FILE: __, ...earlier } = env
  expect(empty.run(earlier).stderr).toContain('Add the line BOOTSTRAP_FILE=./.local/compose/bootstrap.json')
  expect(existsSync(stateIn(empty))).toBe(false)
  const made = newMade()
  const before = contentOf(made)
  expect(made.run({ ...env, BOOTSTRAP_FILE: bootstrapFile }).stderr).toContain('earlier starts made their own')
  expect(contentOf(made)).toEqual(before)
  remove()
})

test('the key is shown to every caller, at the ports that compose publishes', () => {
  const { status, stdout } = volumes.run({ GATEWAY_PORT: '18080' }, ['show'])
  expect([status, stdout]).toEqual([0, expect.stringMatching(/sk_live_\w+[\s\S]*http:\/\/127\.0\.0\.1:18080\/console/)])
  expect(newVolumes().run({}, ['show']).stderr).toContain('there are none that this installation has made')
  expect(volumes.run({}, ['nonsense']).stderr).toBe('secrets: no command nonsense; there are make and show\n')
})
