import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, greeting, type PortBlock, postgresFolders, reservePortBlock } from '@notify/dev-env'
import { connectBus, readNatsLogin } from '@notify/messaging'
import { createTestKit } from '@notify/test-kit/kit'
import pg from 'pg'
import { containers } from './compose-file.ts'
import { ComposeNetwork } from './compose-network.ts'
import {
  type ComposeSite,
  runContainer,
  startContainer,
  startNatsContainer,
  startPostgresContainer,
  startRedisContainer,
} from './compose-processes.ts'
import { ComposeSecrets } from './compose-secrets.ts'

const servers = ['postgres', 'nats', 'redis']
/** Enough for an SMS and an operator's question. */
const started = [
  'gateway',
  'consent',
  'dispatch-api',
  'dispatch-worker',
  'dispatch-sender',
  'carrier-sandbox',
  'identity-provider',
]

const secrets = new ComposeSecrets()
const running: (() => Promise<unknown>)[] = []
let ports: PortBlock
let place: ComposeSite

/** The containers in an order in which each follows all that it depends on. */
function inOrder(): string[] {
  const order: string[] = []
  const visit = (name: string) => {
    if (order.includes(name)) return
    Object.keys(containers[name]!.depends_on ?? {}).forEach(visit)
    order.push(name)
  }
  Object.keys(containers).forEach(visit)
  return order
}

async function start(name: string): Promise<void> {
  if (name === 'secrets') expect([secrets.run(place.values).status]).toEqual([0])
  else if (name.startsWith('provision')) expect([name, await runContainer(name, place)]).toEqual([name, 0])
  else if (servers.includes(name)) {
    const starting = { postgres: startPostgresContainer, nats: startNatsContainer, redis: startRedisContainer }
    const server = await starting[name as keyof typeof starting](place)
    running.push(() => server.stop())
  }
}

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop()
}

/** `docker compose up` with nothing made before it: each container of ours starts once those before it have. */
beforeAll(async () => {
  ports = await reservePortBlock()
  const network = new ComposeNetwork(secrets, ports.base)
  const folder = mkdtempSync(join(tmpdir(), 'notify-compose-'))
  const values = {
    GATEWAY_PORT: String(network.portOf('gateway', 8080)),
    IDENTITY_PROVIDER_PORT: String(network.portOf('identity-provider', 8080)),
  }
  place = { network, folder, values }
  for (const name of inOrder()) await start(name)
  // Services need not wait for each other.
  await Promise.all(started.map((name) => startContainer(name, place, running)))
})
afterAll(async () => {
  await stopAll()
  await ports.release()
  rmSync(postgresFolders(join(place.folder, 'postgres')).dataDir, { recursive: true, force: true })
  rmSync(place.folder, { recursive: true })
  secrets.remove()
})

const shown = () => secrets.run(place.values, ['show']).stdout

/** Right after many processes have started, a service may take longer than its caller waits (503). */
const fetchWhenAvailable = (url: string, init: RequestInit): Promise<Response> =>
  eventually(async () => {
    const response = await fetch(url, init)
    expect(response.status).not.toBe(503)
    return response
  })

test('the request that is shown is accepted, and what it sends arrives', async () => {
  const [, url] = /(http:\/\/\S+\/api\/v1\/notifications)/.exec(shown())!
  const [, authorization] = /'Authorization: (Bearer sk_live_\w+)'/.exec(shown())!
  const [, body] = /-d '(.*)'/.exec(shown())!
  const headers = {
    authorization: authorization!,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const response = await fetchWhenAvailable(url!, { method: 'POST', headers, body: body! })
  expect([response.status, await response.json()]).toEqual([
    202,
    expect.objectContaining({ delivery_status: 'queued' }),
  ])
  const sandbox = `http://127.0.0.1:${place.network.portOf('carrier-sandbox', 8088)}`
  await eventually(async () => {
    const { items } = (await (await fetch(`${sandbox}/messages?to=%2B15551230001`)).json()) as { items: object[] }
    expect(items).toEqual([expect.objectContaining({ text: 'Hi Ada, your order 1001 is on its way.' })])
  })
})

test("the operator's token that is shown is one that the gateway accepts", async () => {
  const [token] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(shown())!
  const gateway = `http://127.0.0.1:${place.network.portOf('gateway', 8080)}`
  const response = await fetchWhenAvailable(`${gateway}/api/v1/applications`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ items: [expect.objectContaining({ name: 'Demo Shop' })] }),
  ])
})

test('Postgres compares identifiers by their bytes', async () => {
  const { DATABASE_URL_FILE } = place.network.environmentOf('consent', {})
  const client = new pg.Client({ connectionString: readFileSync(DATABASE_URL_FILE!, 'utf8') })
  await client.connect()
  const { rows } = await client.query(
    `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
     from pg_database where datname = current_database()`,
  )
  await client.end()
  expect(rows).toEqual([{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' }])
})

test('NATS and Redis answer nobody without a password, and their health checks pass', async () => {
  const { network } = place
  const nobody = createTestKit('otp')
  const login = readNatsLogin({ NATS_URL: `nats://127.0.0.1:${network.portOf('nats', 4222)}` })
  await expect(connectBus(nobody, { login, requiredForReady: true })).rejects.toThrow('refuses the login')
  const health = await fetch(`http://127.0.0.1:${network.portOf('nats', 8222)}/healthz?js-enabled-only=true`)
  expect(health.status).toBe(200)

  const port = network.portOf('redis', 6379)
  expect(await greeting({ port, say: 'PING\r\n' })).toMatch(/^-NOAUTH/)
  const [kind, check] = containers.redis!.healthcheck!.test!
  const command = check!
    .replaceAll('$$', '$')
    .replace(/\/run\/secrets\/\w+/, (path) => network.pathIn('redis', path))
    .replace('redis-cli', `redis-cli -p ${port}`)
  const result = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  expect([kind, result.status, result.stdout]).toEqual(['CMD-SHELL', 0, 'PONG\n'])
})

test('a second start finds its data with the secrets of the first', async () => {
  const key = /sk_live_\w+/.exec(shown())![0]
  await stopAll()
  for (const name of inOrder()) await start(name)
  await startContainer('gateway', place, running)
  const gateway = `http://127.0.0.1:${place.network.portOf('gateway', 8080)}`
  const response = await fetchWhenAvailable(`${gateway}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
})
