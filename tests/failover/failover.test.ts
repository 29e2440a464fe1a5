import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { streams } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { openBusAt } from '@notify/test-kit/bus'
import { watchDelays } from '@notify/test-kit/within'
import { type Account, Ledger } from './ledger.ts'
import { type System, startSystem } from './system.ts'

/** The short run is part of the suite; `npm run failover` adds partitions and rolling restarts. */
const isLong = process.env.FAILOVER === 'long'
const recoveryMs = 10_000
/** What an operator takes to see that the primary is gone. */
const noticeMs = 1000

let system: System

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system?.stop())

let ledger: Ledger | undefined
afterEach(async () => {
  await ledger?.settle([])
  ledger = undefined
})

interface Measured extends Account {
  /** What a busy machine has added to the time of an answer. */
  addedMs: number
}

/** Sends before, during and after a fault. */
async function under(name: string, fault: (note: () => void) => Promise<void>): Promise<Measured> {
  const faults: number[] = []
  const delays = watchDelays(system.env)
  try {
    ledger = new Ledger(system.env)
    await ledger.untilMore(40)
    await fault(() => faults.push(Date.now()))
    await ledger.untilMore(40)
    const account = { ...(await ledger.settle(faults)), addedMs: delays.longestMs() }
    ledger = undefined
    const file = process.env.FAILOVER_FIGURES
    if (file) appendFileSync(file, `${JSON.stringify({ name, ...account })}\n`)
    return account
  } finally {
    delays.stop()
  }
}

function expectNothingLost(account: Measured): void {
  expect(account).toMatchObject({ lost: [], repeated: [] })
  expect(account.accepted).toBeGreaterThanOrEqual(80)
  expect(account.worstMs).toBeLessThan(recoveryMs + 2 * account.addedMs)
}

/** On a busy machine the time of some calls may run out, though nothing was refused. */
function expectNothingRefused({ refusals, late, accepted }: Account): void {
  expect(refusals).toEqual({})
  expect(late).toBeLessThan(accepted / 10)
}

/** The server that leads the stream of dispatch. */
async function leader(): Promise<number> {
  await using bus = await openBusAt(system.nats.url('admin'))
  let found = -1
  await eventually(async () => {
    const { cluster } = await bus.jsm.streams.info(streams.dispatch.name)
    found = Number(/^nats-(\d)$/.exec(cluster?.leader ?? '')?.[1] ?? -1)
    expect(found).toBeGreaterThanOrEqual(0)
    expect(cluster?.replicas?.every(({ current }) => current)).toBe(true)
  })
  return found
}

test('streams have a copy on each of three servers', async () => {
  await using bus = await openBusAt(system.nats.url('admin'))
  const info = await bus.jsm.streams.info(streams.dispatch.name)
  expect(info.config.num_replicas).toBe(3)
  expect(info.cluster?.replicas).toHaveLength(2)
})

test('the leader of NATS is killed under traffic: every accepted message is sent, within 10 s', async () => {
  const index = await leader()
  const account = await under('nats leader killed', async (note) => {
    note()
    await system.nats.servers[index]!.kill()
  })
  await system.nats.servers[index]!.restart()
  expectNothingLost(account)
  expectNothingRefused(account)
})

test('Redis is lost and its replica takes over: nothing is refused or late', async () => {
  const account = await under('redis primary killed', async (note) => {
    note()
    await system.redis.killPrimary()
    await delay(noticeMs)
    await system.redis.promote()
  })
  expectNothingLost(account)
  expectNothingRefused(account)
  await eventually(async () => {
    const { body } = await system.env.call('gateway', 'GET', '/readyz')
    expect(body.degraded ?? []).toEqual([])
  })
})

const testWhenLong = isLong ? test : test.skip

testWhenLong('the leader of NATS is cut off from the others, with its clients, and comes back', async () => {
  const index = await leader()
  const account = await under('nats leader partitioned', async (note) => {
    note()
    await system.nats.partition(index)
    await delay(8000)
    await system.nats.heal()
  })
  expectNothingLost(account)
  await leader()
})

testWhenLong('the leader of NATS stands still for 8 s and goes on', async () => {
  const index = await leader()
  const account = await under('nats leader frozen', async (note) => {
    const { pid } = system.nats.servers[index]!
    note()
    process.kill(pid, 'SIGSTOP')
    await delay(8000)
    process.kill(pid, 'SIGCONT')
  })
  expectNothingLost(account)
  await leader()
})

testWhenLong('the servers of NATS are restarted one by one', async () => {
  const account = await under('nats rolling restart', async (note) => {
    for (const server of system.nats.servers) {
      note()
      await server.stop(10_000)
      await server.restart()
      await leader()
    }
  })
  expectNothingLost(account)
  expectNothingRefused(account)
})

// Last: the primary does not come back.
test('the synchronous standby of Postgres is promoted under traffic, and PgBouncer led to it: nothing accepted is lost', async () => {
  const account = await under('postgres standby promoted', async (note) => {
    note()
    await system.postgres.killPrimary()
    await delay(noticeMs)
    const url = await system.postgres.promote()
    const promoted = new URL(system.env.stack.adminDatabaseUrl)
    promoted.port = new URL(url).port
    system.pgbouncer.repoint(promoted.href)
  })
  expectNothingLost(account)
})
