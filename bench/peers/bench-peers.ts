import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceProcess, type Stack, serviceProcesses } from '@notify/dev-env'
import pg from 'pg'
import { clearCarrierLog } from '../carrier-log.ts'
import { each } from '../counts/counts.ts'
import { cpuMsByGroup } from '../counts/cpu-groups.ts'
import { readProcessCounts } from '../counts/process-counts.ts'
import { createJsonClient, doMany, type JsonClient } from '../json-client.ts'
import { runPipeline, seconds } from '../pipeline.ts'
import { createSmsClient, type SmsClient } from '../sms-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { lossesOf } from './losses.ts'
import { PeerApp } from './peer-app.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 5000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const callers = 64
const kills = 3
/** Time until continued processes have reconnected. */
const settleMs = 5000
const longestMs = 300_000

let serial = 0
const nextMessage = () => ({
  to: `+1557${String(serial++).padStart(6, '0')}1`,
  body: `Your parcel ${serial} is on its way.`,
})

interface World {
  stack: Stack
  app: PeerApp
  peer: JsonClient
  ours: SmsClient
  database: pg.Pool
}

/**
 * The same SMS through our pipeline and through the app that a team would build itself, in turns on the same servers, sandbox
 * and cores; the other one is stopped meanwhile. Then the losses of each when its sending process is killed.
 */
export function benchPeers(): Promise<object> {
  const env = { all: { LOG_LEVEL: 'warn' }, 'dispatch-sender': { SEND_RATE: '100000' } }
  return withStack({ env }, async (stack) => {
    const app = await PeerApp.start(stack)
    const world: World = {
      stack,
      app,
      peer: createJsonClient(stack, app.url),
      ours: createSmsClient(stack),
      database: new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 }),
    }
    try {
      return await measure(world)
    } finally {
      await resume(world)
      world.peer.close()
      world.ours.close()
      await world.database.end()
      await app.stop()
    }
  })
}

async function measure(world: World): Promise<object> {
  await theirTurn(world, () => runPeer(world, messages))
  await ourTurn(world, () => runOurs(world, messages))
  const results: { peer: number; ours: number }[] = []
  for (let at = 0; at < rounds; at++) {
    const peer = await theirTurn(world, () =>
      measured(world, 'Express, Postgres, BullMQ, Twilio', () => runPeer(world, messages)),
    )
    const ours = await ourTurn(world, () => measured(world, 'ours', () => runOurs(world, messages)))
    results.push({ peer, ours })
    console.log(`round ${at + 1}: ratio ${(ours / peer).toFixed(3)}`)
  }
  const losses = {
    peer: await theirTurn(world, () => killPeer(world)),
    ours: await ourTurn(world, () => killOurs(world)),
  }
  const ratios = results.map(({ peer, ours }) => round(ours / peer))
  return {
    messages,
    ratio: percentile(ratios, 0.5),
    ratios,
    peer_per_second: results.map(({ peer }) => Math.round(peer)),
    per_second: results.map(({ ours }) => Math.round(ours)),
    after_kill: losses,
  }
}

/** Prints the rate and the CPU time of a message. */
async function measured({ stack, app }: World, title: string, run: () => Promise<number>): Promise<number> {
  const roots = { ...(stack.pids as Record<string, number>), ...app.pids }
  const before = readProcessCounts(roots)
  const perSecond = await run()
  const { total, postgres, redis, nats } = cpuMsByGroup(each(before, readProcessCounts(roots), messages))
  console.log(
    `${title}: ${Math.round(perSecond)} messages/s, CPU ${total} ms a message (postgres ${postgres}, redis ${redis}, nats ${nats})`,
  )
  return perSecond
}

async function runOurs({ stack, ours, database }: World, count: number): Promise<number> {
  const { perSecond } = await runPipeline(ours, database, count, nextMessage)
  await clearCarrierLog(stack)
  return perSecond
}

async function runPeer(world: World, count: number): Promise<number> {
  const already = await world.app.countDelivered()
  const startedMs = performance.now()
  await doMany(count, callers, () => postPeer(world))
  const acceptedMs = performance.now() - startedMs
  while ((await world.app.countDelivered()) < already + count) {
    if (performance.now() - startedMs > longestMs) throw new Error('the app has not delivered all')
    await delay(20)
  }
  const deliveredMs = performance.now() - startedMs
  console.log(`  accepted after ${seconds(acceptedMs)}, delivered after ${seconds(deliveredMs)}`)
  const perSecond = (count / deliveredMs) * 1000
  await clearCarrierLog(world.stack)
  return perSecond
}

async function postPeer({ peer }: World): Promise<string> {
  const message = nextMessage()
  const { status } = await peer.post('/messages', message)
  if (status !== 202) throw new Error(`the app answered ${status}`)
  return message.to
}

async function killPeer(world: World): Promise<object> {
  const accepted = await sendThroughKills(
    () => postPeer(world),
    async () => {
      await world.app.killWorker()
      await world.app.startWorker()
    },
  )
  return lossesOf(world.stack, accepted)
}

async function killOurs({ stack, ours }: World): Promise<object> {
  const accepted = await sendThroughKills(
    async () => {
      const message = nextMessage()
      await ours.post(message)
      return message.to
    },
    async () => {
      await stack.kill('dispatch-sender')
      await stack.restart('dispatch-sender')
    },
  )
  return lossesOf(stack, accepted)
}

/** While it accepts, the sending process is killed several times and started again. @returns the recipients */
async function sendThroughKills(send: () => Promise<string>, kill: () => Promise<void>): Promise<string[]> {
  let killing = Promise.resolve()
  const accepted = await doMany(messages, callers, async (n) => {
    const to = await send()
    if (n % Math.ceil(messages / (kills + 1)) === 0 && n > 0) killing = killing.then(kill)
    return to
  })
  await killing
  return accepted
}

async function theirTurn<T>({ stack, app }: World, work: () => Promise<T>): Promise<T> {
  await Promise.all(running(stack).map((name) => stack.kill(name, 'SIGSTOP')))
  app.signal('SIGCONT')
  await delay(settleMs)
  return work()
}

async function ourTurn<T>(world: World, work: () => Promise<T>): Promise<T> {
  world.app.signal('SIGSTOP')
  await resume(world)
  await delay(settleMs)
  return work()
}

async function resume({ stack }: World): Promise<void> {
  await Promise.all(running(stack).map((name) => stack.kill(name, 'SIGCONT')))
}

function running(stack: Stack): ServiceProcess[] {
  return serviceProcesses.filter((name) => stack.pids[name])
}
