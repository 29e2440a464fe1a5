import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@notify/contracts'
import axios from 'axios'
import pg from 'pg'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import {
  ask,
  connectTo,
  dataOf,
  type Endpoint,
  publishFact,
  store,
  subscribe,
  untilDrained,
  untilReceived,
  type World,
  wake,
} from './webhook-world.ts'

const healthyCount = 50
const badCount = 5
const perEndpointSecond = 10
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const warmUpSeconds = 2
const drained = Number(process.env.BENCH_MESSAGES ?? 10_000)
const waiting = Number(process.env.BENCH_WAITING ?? 1_000_000)
const inFlight = 10
/** Hanging receivers of another tenant: more than a process can call at a time. */
const crowdCount = 300
/** Receivers of the measured tenant. */
const neighbourCount = 5

/**
 * The lateness of webhooks to healthy receivers, alone and beside receivers that hang or fail, with a million deliveries
 * waiting for those; and the webhooks per second, relative to a bare axios loop to the same receivers.
 */
export function benchWebhooks(): Promise<object> {
  const env = { 'webhook-delivery': { WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8' }, all: { LOG_LEVEL: 'warn' } }
  return withStack({ services: ['dispatch-worker', 'webhook-delivery'], env }, async (stack) => {
    const { cert, key } = stack.wiring.certificates.server
    const receivers = fork(join(import.meta.dirname, 'receivers-yardstick.ts'), [cert, key])
    const [port] = await once(receivers, 'message')
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 2 })
    const bus = await connectTo(stack.natsUrl)
    const world = { stack, database, bus, receivers, url: `https://127.0.0.1:${port}` }
    try {
      return await measure(world)
    } finally {
      await bus.close()
      await database.end()
      receivers.disconnect()
      await once(receivers, 'exit')
    }
  })
}

async function measure(world: World): Promise<object> {
  const healthy = await subscribe(world, 'ok', healthyCount)
  const alone = await warmLateness(world, healthy, [])
  const bare = await bareLoop(world)
  const ours = await drain(world, healthy)
  const bad = [...(await subscribe(world, 'hang', badCount)), ...(await subscribe(world, '500', badCount))]
  const beside = await warmLateness(world, healthy, bad)
  await backlog(world, bad.slice(0, badCount))
  const besideBacklog = await warmLateness(world, healthy, bad)
  const oursBesideBacklog = await drain(world, healthy)
  const limitMs = 1.2 * alone + 20
  const fair = await measureFairness(world)
  return {
    ...fair,
    p99_alone_ms: round(alone),
    p99_beside_bad_ms: round(beside),
    p99_beside_waiting_ms: round(besideBacklog),
    limit_ms: round(limitMs),
    within_limit: beside <= limitMs && besideBacklog <= limitMs,
    axios_per_second: Math.round(bare),
    per_second: Math.round(ours),
    per_second_beside_waiting: Math.round(oursBesideBacklog),
    ratio: round(ours / bare),
    waiting,
  }
}

/** The lateness of one tenant's webhooks beside another tenant's hanging receivers. */
async function measureFairness(world: World): Promise<object> {
  const neighbour = await subscribe(world, 'ok', neighbourCount, newId('ten'))
  const alone = await warmLateness(world, neighbour, [])
  const limitMs = 1.5 * alone + 20
  const sinks = await subscribe(world, 'sink', healthyCount, newId('ten'))
  await store(world, sinks, 3 * drained)
  await wake(world, sinks)
  const besideDrain = await lateness(world, neighbour, [], seconds)
  await untilDrained(world, sinks)
  for (let at = 0; at < drained; at++) publishFact(world, sinks[at % sinks.length]!)
  const behindFacts = await lateness(world, neighbour, [], 1)
  await untilDrained(world, sinks)
  const crowd = await subscribe(world, 'hang', crowdCount, newId('ten'))
  await store(world, crowd, drained)
  await wake(world, crowd)
  const besideCrowd = await lateness(world, neighbour, [], seconds)
  return {
    neighbour_p99_alone_ms: round(alone),
    neighbour_p99_beside_crowd_ms: round(besideCrowd),
    neighbour_p99_beside_drain_ms: round(besideDrain),
    neighbour_p99_behind_facts_ms: round(behindFacts),
    neighbour_limit_ms: round(limitMs),
  }
}

/** Opens connections, which an earlier part may have left closed, before the measurement. */
async function warmLateness(world: World, healthy: Endpoint[], bad: Endpoint[]): Promise<number> {
  await lateness(world, healthy, bad, warmUpSeconds)
  return lateness(world, healthy, bad, seconds)
}

/** Publishes facts at a steady rate for every endpoint. @returns the p99 of the lateness at the healthy ones */
async function lateness(world: World, healthy: Endpoint[], bad: Endpoint[], lastingSeconds: number): Promise<number> {
  await ask(world, 'take')
  const everyMs = 20
  const all = [...healthy, ...bad]
  const perTick = (all.length * perEndpointSecond * everyMs) / 1000
  const startMs = performance.now()
  const ticks = (lastingSeconds * 1000) / everyMs
  let published = 0
  let expected = 0
  for (let tick = 1; tick <= ticks; tick++) {
    for (; published < tick * perTick; published++) {
      const endpoint = all[published % all.length]!
      if (published % all.length < healthy.length) expected += 1
      publishFact(world, endpoint)
    }
    await delay(Math.max(0, startMs + tick * everyMs - performance.now()))
  }
  const found = await untilReceived(world, expected)
  const p99 = percentile(found, 0.99)
  console.log(`${expected} webhooks, ${bad.length} bad receivers: p50 ${percentile(found, 0.5)} ms, p99 ${p99} ms`)
  return p99
}

/** The yardstick: axios with kept-alive connections and as many concurrent requests, unsigned and unrecorded. */
async function bareLoop(world: World): Promise<number> {
  const ca = readFileSync(world.stack.wiring.certificates.ca)
  const httpsAgent = new Agent({ keepAlive: true, ca })
  await ask(world, 'take')
  const startMs = performance.now()
  let left = drained
  const loop = async (at: number) => {
    while (left-- > 0) {
      await axios.post(`${world.url}/ok/${at}`, { id: newId('msg'), data: dataOf() }, { httpsAgent, proxy: false })
    }
  }
  await Promise.all(Array.from({ length: healthyCount * inFlight }, (_, at) => loop(at % healthyCount)))
  const perSecond = (drained / (performance.now() - startMs)) * 1000
  httpsAgent.destroy()
  console.log(`axios: ${Math.round(perSecond)} a second`)
  return perSecond
}

/** Webhooks per second out of a backlog for healthy receivers. */
async function drain(world: World, healthy: Endpoint[]): Promise<number> {
  await ask(world, 'take')
  await store(world, healthy, drained)
  const startMs = performance.now()
  await wake(world, healthy)
  await untilReceived(world, drained)
  const perSecond = (drained / (performance.now() - startMs)) * 1000
  console.log(`webhook-delivery: ${Math.round(perSecond)} a second`)
  return perSecond
}

async function backlog(world: World, dead: Endpoint[]): Promise<void> {
  await store(world, dead, waiting)
  await wake(world, dead)
  // A real backlog grows over hours, so that its pages are written and vacuumed.
  await world.database.query('vacuum (analyze) webhook_delivery.deliveries')
  await world.database.query('checkpoint')
  console.log(`${waiting} deliveries wait for ${dead.length} receivers that hang`)
}
