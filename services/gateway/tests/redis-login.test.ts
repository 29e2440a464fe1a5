import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Certificates,
  eventually,
  makeCertificates,
  type PortBlock,
  reservePortBlock,
  type Server,
  startConfigured,
} from '@notify/dev-env'
import { connectRedis } from '@notify/service-kit'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import type { Redis } from 'ioredis'
import { createCounter } from '../src/limits/counter.ts'

const password = 'letmein-s3cret'
const keyOf = (id: string) => `limit:${id}`
let folder: string
let ports: PortBlock
let certificates: Certificates
const servers: Server[] = []
const kits: TestKit[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notify-redis-'))
  ports = await reservePortBlock()
  certificates = await makeCertificates(join(folder, 'tls'))
  const [plain, tls] = [ports.base, ports.base + 1]
  const { ca, server } = certificates
  const common = ['--bind', '127.0.0.1', '--save', '', '--requirepass', password]
  const tlsFiles = ['--tls-cert-file', server.cert, '--tls-key-file', server.key, '--tls-ca-cert-file', ca]
  const start = async (port: number, args: string[]) =>
    servers.push(
      await startConfigured('redis-server', { args: [...args, ...common], port, folder: `${folder}/${port}` }),
    )
  await start(plain, ['--port', String(plain)])
  await start(tls, ['--port', '0', '--tls-port', String(tls), '--tls-auth-clients', 'no', ...tlsFiles])
})
afterAll(async () => {
  await Promise.all(kits.map((kit) => kit.stop()))
  await Promise.all(servers.map((server) => server.stop()))
  await ports.release()
  rmSync(folder, { recursive: true })
})

function connect(config: Parameters<typeof connectRedis>[1]): { kit: TestKit; redis: Redis } {
  const kit = createTestKit('gateway')
  kits.push(kit)
  kit.health.setReady(true)
  return { kit, redis: connectRedis(kit, config) }
}

test('a password is sent, and what is counted reaches Redis', async () => {
  const { kit, redis } = connect({ REDIS_URL: `redis://:${password}@127.0.0.1:${ports.base}` })
  await eventually(async () => expect(await kit.health.degraded()).toEqual([]))
  await eventually(async () => expect(await redis.ping()).toBe('PONG'))
})

test('over TLS the certificate is verified by the named authority', async () => {
  const REDIS_URL = `rediss://:${password}@127.0.0.1:${ports.base + 1}`
  const { redis } = connect({ REDIS_URL, REDIS_CA_FILE: certificates.ca })
  await eventually(async () => expect(await redis.ping()).toBe('PONG'))
  const strange = connect({ REDIS_URL })
  const listeners = new Promise<number>((resolve) => {
    strange.redis.once('error', () => {
      const { stream } = strange.redis
      setImmediate(() => resolve(stream.listenerCount('error')))
    })
  })
  // TLS reports a second error when the server answers the refusal with an alert: unheard, it would end the process.
  expect(await listeners).toBeGreaterThan(0)
  await eventually(() => expect(JSON.stringify(strange.kit.lines)).toMatch(/certificate/))
  expect(strange.redis.status).not.toBe('ready')
})

test('an authority without TLS is a mistake that ends the start', () => {
  const REDIS_URL = `redis://:${password}@127.0.0.1:${ports.base}`
  expect(() => connect({ REDIS_URL, REDIS_CA_FILE: certificates.ca })).toThrow('REDIS_URL is not rediss://')
})

test.each(['redis://', 'redis://:wrong-s3cret@', 'redis://nobody:wrong-s3cret@'])(
  'refused by Redis (%s), a replica goes on counting by itself, ready, and says so once without the secret',
  async (login) => {
    const { kit, redis } = connect({ REDIS_URL: `${login}127.0.0.1:${ports.base}` })
    const told = () => kit.lines.filter(({ msg }) => /^Redis refuses the login/.test(msg))
    await eventually(() => expect(told()).toHaveLength(1))
    expect(await kit.health.failures()).toEqual([])
    expect(await kit.health.degraded()).toEqual(['redis'])
    const count = createCounter(redis, keyOf)
    expect([count('a', 1).place, count('a', 1).place]).toEqual([1, 2])
    let again = 0
    redis.on('reconnecting', () => void again++)
    await eventually(() => expect(again).toBeGreaterThan(1))
    expect(told()).toHaveLength(1)
    expect(JSON.stringify(kit.lines)).not.toContain('s3cret')
  },
)
