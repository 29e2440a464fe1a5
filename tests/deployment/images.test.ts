import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bundleImage, imageNames } from '@notify/bundle'
import { serviceNames } from '@notify/contracts'
import { buildConsole, serviceOf, serviceProcesses, TestEnv } from '@notify/dev-env'
import { version } from '@notify/service-kit'
import { untilState } from '@notify/test-kit/api'
import { emailTo, freshAddress, sendEmail } from '@notify/test-kit/email'
import { sendUntilTaken, untilTemplatesRender } from '@notify/test-kit/sms'
import { entryPoint, imageVariables, instruction, program } from './dockerfile.ts'
import { root } from './project.ts'

const [, ...options] = entryPoint
const [main] = program as [string]

/** Holds what each image has in /app. */
let out: string
let env: TestEnv
let built: string[]

/** Runs in the folder of an image what its container would run. */
function runIn(image: string, command: string[], variables: Record<string, string> = {}) {
  const cache = imageVariables.NODE_COMPILE_CACHE!.replace('/app', join(out, image))
  return spawnSync(process.execPath, [...options, ...command], {
    cwd: join(out, image),
    encoding: 'utf8',
    env: { ...imageVariables, NODE_COMPILE_CACHE: cache, ...variables },
  })
}

const filesOf = () =>
  (readdirSync(out, { recursive: true }) as string[])
    .filter((file) => !file.includes('.compile-cache'))
    .flatMap((file) => (statSync(join(out, file)).isFile() ? [`${file} ${statSync(join(out, file)).mtimeMs}`] : []))
    .sort()

beforeAll(async () => {
  mkdirSync(join(root, '.local'), { recursive: true })
  out = mkdtempSync(join(root, '.local', 'images-'))
  await buildConsole()
  for (const name of imageNames) await bundleImage(name, join(out, name))
  built = filesOf()
  const programOf = (image: string) => join(relative(root, out), image, main)
  const standIns = ['carrier-sandbox', 'identity-provider'] as const
  env = await TestEnv.start(undefined, {
    apart: 'all',
    entries: Object.fromEntries([
      ...serviceProcesses.map((process) => [process, programOf(serviceOf(process))]),
      ...standIns.map((name) => [name, programOf(name)]),
    ]),
    env: {
      all: {
        ...imageVariables,
        NODE_COMPILE_CACHE: join(out, 'cache'),
        NODE_OPTIONS: options.join(' '),
        // Receivers on this machine are refused in production.
        WEBHOOK_EGRESS_ALLOW: '',
        ATTACHMENT_EGRESS_ALLOW: '',
      },
    },
  })
})
afterAll(async () => {
  await env?.stop()
  if (out) rmSync(out, { recursive: true, force: true })
})

test.each(serviceNames)(
  'the image of %s tells its version and its commands, from the cache that its build has filled',
  (service) => {
    const told = runIn(service, [main, 'version'])
    expect([told.status, told.stdout]).toEqual([0, `${service} ${version}\n`])
    const { status, stderr } = runIn(service, [main, 'nonsense'], { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${service} has no command nonsense; it has: migrate`),
    ])
    expect(stderr).toMatch(/main\.mjs was accepted/)
  },
)

test.each(serviceNames)(
  'each part of the image of %s that is loaded on demand can be loaded, as its build does',
  (service) => {
    const [, script] = /--eval "([^"]+)"/.exec(instruction('RUN').join('\n'))!
    const loading = runIn(service, ['--input-type=module', '--eval', script!.replace('/app', join(out, service))])
    expect([loading.status, loading.stderr]).toEqual([0, ''])
  },
)

test('the memory of a bundle is one byte a character: it holds ASCII alone', () => {
  const files = built.flatMap((line) => /^\S+\.mjs(?= )/.exec(line)?.[0] ?? [])
  const bundles = files.filter((file) => serviceNames.some((service) => file.startsWith(`${service}/`)))
  expect(bundles.length).toBeGreaterThan(serviceNames.length)
  expect(bundles.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(out, file), 'utf8')))).toEqual([])
})

test('bundles accept, send and record a message, and read their receipts', async () => {
  await untilState(env, await sendUntilTaken(env), { delivery_status: 'delivered' })
})

test('an email is reported as delivered by the stand-in of SES, which signs with a certificate of its own', async () => {
  const id = await sendEmail(env, emailTo(freshAddress()))
  await untilState(env, id, { delivery_status: 'delivered' })
})

test('the render threads are bundled too', async () => {
  await untilTemplatesRender(env)
  const operator = (url: string, body: object) => env.api('POST', url, { token: env.operatorToken, body })
  // A filter: what is text and variables only is filled without a thread.
  const templates = { sms: { body: 'Total {{ total | round: 2 }}' } }
  const { body, text } = await operator('/api/v1/templates', { name: 'Total', templates })
  expect(text).toContain('template_id')
  const preview = await operator(`/api/v1/templates/${body.template_id}/preview`, { template_data: { total: 12.345 } })
  expect([preview.status, preview.body.rendered]).toEqual([200, { sms: { body: 'Total 12.35' } }])
})

test('the image of the gateway has the licences of what browsers load from it', () => {
  const licences = readFileSync(join(out, 'gateway', 'LICENSES.txt'), 'utf8')
  expect(licences).toMatch(/^## react-aria-components - \S+ \(Apache-2\.0\)$/m)
})

test('the gateway serves the files beside its bundle', async () => {
  const reference = await fetch(`${env.stack.url('gateway')}/content/openapi.json`)
  expect(reference.status).toBe(200)
  for (const path of ['/docs', '/docs/guides/webhooks', '/docs/reference/notifications'])
    expect((await fetch(`${env.stack.url('gateway')}${path}`)).status).toBe(200)
})

test('a command works in the image, and its stack trace names the source', () => {
  const database = new URL(env.stack.wiring.adminDatabaseUrl)
  Object.assign(database, { username: 'consent', password: 'wrong' })
  const variables = {
    ...{ DATABASE_URL: database.href, NATS_URL: 'nats://127.0.0.1:1', PORT: '1', METRICS_PORT: '2' },
    ...{ PRINCIPAL_JWKS: '{"keys":[]}', ENCRYPTION_KEYS: `a:${Buffer.alloc(32).toString('base64')}` },
    ...{ BLIND_INDEX_KEY: Buffer.alloc(32).toString('base64'), FINGERPRINT_KEY: Buffer.alloc(32).toString('base64') },
  }
  const { status, stdout, stderr } = runIn('consent', [main, 'dead-letters', 'list'], variables)
  expect([status, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/packages\/database\/src\/[\w/-]+\.ts:\d+:\d+/)
})

test('the image `provision` makes database, roles and streams again', () => {
  const { wiring } = env.stack
  const database = runIn('provision', ['database.mjs'], {
    ADMIN_DATABASE_URL: wiring.adminDatabaseUrl,
    DATABASE_NAME: decodeURIComponent(new URL(wiring.adminDatabaseUrl).pathname.slice(1)),
    CONSENT_DATABASE_PASSWORD: wiring.servicePassword('consent'),
  })
  expect([database.status, database.stderr]).toEqual([0, ''])
  const streams = runIn('provision', ['streams.mjs'], { NATS_URL: wiring.natsUrl })
  expect([streams.status, streams.stderr, streams.stdout]).toEqual([0, '', 'provisioned the streams of all services\n'])
})

test('programs write nothing beside themselves: the image is read-only', () => {
  expect(filesOf().filter((line) => !line.startsWith('cache'))).toEqual(built)
})
