import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  eventually,
  type FaultProxy,
  type PortBlock,
  reservePortBlock,
  type Server,
  startConfigured,
  startFaultProxy,
} from '@notify/dev-env'
import { connectRedis } from '@notify/service-kit'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { Redis } from 'ioredis'
import { createCounter } from '../src/limits/counter.ts'

let folder: string
let ports: PortBlock
let address: FaultProxy
let current: string
const servers: Server[] = []
const kits: TestKit[] = []
const urls: string[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notify-redis-'))
  ports = await reservePortBlock()
  for (const port of [ports.base, ports.base + 1]) {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
    servers.push(await startConfigured('redis-server', { args, port, folder: `${folder}/${port}` }))
    urls.push(`redis://127.0.0.1:${port}`)
  }
  current = urls[0]!
  address = await startFaultProxy(() => current)
})
afterAll(async () => {
  await Promise.all(kits.map((kit) => kit.stop()))
  await address?.stop()
  await Promise.all(servers.map((server) => server.stop()))
  await ports?.release()
  rmSync(folder, { recursive: true })
})

function startReplica() {
  const kit = createTestKit('gateway')
  kits.push(kit)
  kit.health.setReady(true)
  const redis = connectRedis(kit, { REDIS_URL: address.via(urls[0]!) })
  const delaysMs: number[] = []
  redis.on('reconnecting', (delayMs: number) => delaysMs.push(delayMs))
  return { kit, redis, delaysMs, count: createCounter(redis, (id) => `limit:${id}`) }
}

async function command(url: string, ...args: [string, ...string[]]): Promise<void> {
  const redis = new Redis(url)
  await redis.call(...args)
  redis.disconnect()
}

test('while the address leads to a demoted Redis this is degraded, and counts are shared once it leads to the primary', async () => {
  const [one, other] = [startReplica(), startReplica()]
  const degraded = () => Promise.all([one, other].map(({ kit }) => kit.health.degraded()))
  await eventually(async () => expect(await degraded()).toEqual([[], []]))
  // Their connections stay, and still lead to the old primary.
  await command(urls[0]!, 'REPLICAOF', '127.0.0.1', String(ports.base + 1))
  for (const { count } of [one, other]) expect(count('a', 1).place).toBe(1)
  // A write shows that it leads to a replica, also where a busy machine was late to learn its role.
  const untilDegraded = () =>
    eventually(async () => {
      for (const { count } of [one, other]) count('a', 1)
      expect(await degraded()).toEqual([['redis'], ['redis']])
    })
  await untilDegraded()
  // No storm, although each connection is ready at first.
  await eventually(() => expect(one.delaysMs.slice(-2)).toEqual([1000, 1000]))
  await untilDegraded()
  const lines = (start: RegExp) => one.kit.lines.filter(({ msg }) => start.test(String(msg))).length
  expect(lines(/^Redis is a replica/)).toBeGreaterThan(0)
  expect(lines(/^Redis is a replica/)).toBeLessThanOrEqual(1 + lines(/^Redis (responds again|does not respond)/))

  current = urls[1]!
  await eventually(async () => expect(await degraded()).toEqual([[], []]))
  let window = 0
  await eventually(async () => {
    // Redis counts for a second: a busy machine may need another one.
    const id = `shared ${window++}`
    one.count(id, 5)
    other.count(id, 1)
    await eventually(() => expect(other.count(id, 0).place).toBe(6), { timeoutMs: 900 })
  })
})
