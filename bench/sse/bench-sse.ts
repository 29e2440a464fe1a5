import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mintUserToken, type Stack } from '@notify/dev-env'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import type { Command } from './load-process.ts'
import { cpuMs, maxOpenFiles, settledBytes } from './server-process.ts'

const connections = Number(process.env.BENCH_CONNECTIONS ?? 5000)
const idle = Number(process.env.BENCH_IDLE ?? 20_000)
const idleSeconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const pacePerSecond = 1000
/** File descriptors that a server needs beside the connections of its readers. */
const otherFiles = 200
const limits = { memory: 1.3, rate: 0.7, p99Ms: 100 }

/** A server of event streams: ours, or the yardstick. */
interface Server {
  feed: 'live' | 'bare'
  pid: number
  port: number
  requestOf(user: string): { path: string; token?: string }
}

interface Figures {
  bytesEach: number
  /** Events to one stream each, and one event to all streams: events per second, and CPU time of each in microseconds. */
  single: { perSecond: number; micros: number }
  /** As `single`, with contents that the yardstick decrypts. */
  sealed?: { perSecond: number; micros: number }
  all: { perSecond: number; micros: number }
}

type Ask = <T>(command: Command) => Promise<T>

/**
 * inbox-stream relative to a server of event streams on node:http alone: memory per connection, events a second to single
 * users and to all, time from commit to reader at 1,000 events a second, and as many idle connections as the process may open.
 */
export function benchSse(): Promise<object> {
  const env = {
    all: { LOG_LEVEL: 'warn' },
    'inbox-stream': { STREAMS_PER_USER: String(connections * 2), STREAM_MEMORY: String(2 ** 30) },
  }
  return withStack({ services: ['dispatch-worker', 'inbox-stream'], env }, async (stack) => {
    // It has created the stream for hand-offs, and is not measured.
    await stack.stopProcess('dispatch-worker')
    const nats = loginOf(stack.natsUrl)
    const bareProcess = fork(join(import.meta.dirname, 'bare-yardstick.ts'), [nats.servers, nats.user, nats.pass])
    const load = fork(join(import.meta.dirname, 'load-process.ts'))
    try {
      const [port] = await once(bareProcess, 'message')
      load.send({ nats, state: stack.state })
      await once(load, 'message')
      const bare: Server = { feed: 'bare', pid: bareProcess.pid!, port, requestOf: (user) => ({ path: `/${user}` }) }
      return await compare(ours(stack), bare, (command) => ask(load, command))
    } finally {
      for (const child of [load, bareProcess]) {
        child.disconnect()
        await once(child, 'exit')
      }
    }
  })
}

function ours(stack: Stack): Server {
  return {
    feed: 'live',
    pid: stack.pids['inbox-stream']!,
    port: stack.ports.process['inbox-stream'],
    requestOf: (user) => ({
      path: '/api/v1/in-app/stream',
      token: mintUserToken({ ...stack.state, user_id: user }),
    }),
  }
}

function loginOf(url: string): { servers: string; user: string; pass: string } {
  const { host, username, password } = new URL(url)
  return { servers: host, user: username, pass: decodeURIComponent(password) }
}

async function ask<T>(load: ChildProcess, command: Command): Promise<T> {
  load.send(command)
  const [{ result, error }] = await once(load, 'message')
  if (error) throw new Error(error)
  return result
}

async function compare(own: Server, bare: Server, load: Ask): Promise<object> {
  const yardstick = await measure(bare, load)
  const figures = await measure(own, load)
  const latencies = await commitToReader(own, load)
  const held = await holdIdle(own, load)
  const memory = figures.bytesEach / yardstick.bytesEach
  const single = figures.single.perSecond / yardstick.single.perSecond
  const all = figures.all.perSecond / yardstick.all.perSecond
  const p99Ms = percentile(latencies, 0.99)
  return {
    connections,
    bytes_each: Math.round(figures.bytesEach),
    bare_bytes_each: Math.round(yardstick.bytesEach),
    memory_ratio: round(memory),
    single: { ours: figures.single, bare: yardstick.single, ratio: round(single) },
    single_sealed: { bare: yardstick.sealed, ratio: round(figures.single.perSecond / yardstick.sealed!.perSecond) },
    to_all: { ours: figures.all, bare: yardstick.all, ratio: round(all) },
    commit_to_reader: { per_second: pacePerSecond, p50_ms: percentile(latencies, 0.5), p99_ms: p99Ms },
    idle: held,
    holds: memory <= limits.memory && Math.min(single, all) >= limits.rate && p99Ms < limits.p99Ms && held.lost === 0,
  }
}

const usersOf = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
const open = (load: Ask, { port, requestOf }: Server, users: readonly string[]) =>
  load({ do: 'open', port, requests: users.map(requestOf) })

async function measure(server: Server, load: Ask): Promise<Figures> {
  const { feed, pid } = server
  const pump = async (users: string[], fanOut: number, onTheWay: number, kind: Server['feed'] | 'sealed' = feed) => {
    const command = { do: 'pump', feed: kind, users, onTheWay, fanOut } as const
    await load({ ...command, seconds: 3 })
    const beforeMs = cpuMs(pid)
    const { events, seconds: took } = await load<{ events: number; seconds: number }>({ ...command, seconds })
    return { perSecond: Math.round(events / took), micros: round(((cpuMs(pid) - beforeMs) * 1000) / events) }
  }
  // The first connections also pay for compiling code and for lasting buffers.
  await open(load, server, usersOf('first', connections / 10))
  await load({ do: 'close' })
  const emptyBytes = await settledBytes(pid)
  const users = usersOf('user', connections)
  await open(load, server, users)
  const bytesEach = ((await settledBytes(pid)) - emptyBytes) / connections
  const single = await pump(users, 1, 1000)
  const sealed = feed === 'bare' ? await pump(users, 1, 1000, 'sealed') : undefined
  await load({ do: 'close' })
  await open(load, server, Array(connections).fill('all'))
  const all = await pump(['all'], connections, 4)
  await load({ do: 'close' })
  const figures = { bytesEach, single, ...(sealed && { sealed }), all }
  console.log(feed, JSON.stringify(figures))
  return figures
}

/** Milliseconds from the commit of a notification to its reader. */
async function commitToReader(server: Server, load: Ask): Promise<number[]> {
  const users = usersOf('stored', connections)
  await open(load, server, users)
  const command = { do: 'pace', users, perSecond: pacePerSecond } as const
  await load({ ...command, seconds: 3 })
  const latencies = await load<number[]>({ ...command, seconds })
  await load({ do: 'close' })
  return latencies
}

/** Opens idle connections, and counts those that are open after a minute and have received their heartbeats. */
async function holdIdle(server: Server, load: Ask) {
  const count = Math.min(idle, maxOpenFiles(server.pid) - otherFiles)
  const before = await load<{ heartbeats: number }>({ do: 'count' })
  const emptyBytes = await settledBytes(server.pid)
  await open(load, server, usersOf('idle', count))
  const openedMs = performance.now()
  const bytesEach = ((await settledBytes(server.pid)) - emptyBytes) / count
  await delay(Math.max(0, idleSeconds * 1000 - (performance.now() - openedMs)))
  const after = await load<{ open: number; heartbeats: number }>({ do: 'count' })
  await load({ do: 'close' })
  return {
    connections: count,
    lost: count - after.open,
    heartbeats_each: round((after.heartbeats - before.heartbeats) / count),
    bytes_each: Math.round(bytesEach),
  }
}
