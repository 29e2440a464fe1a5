import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { bareFeed, type Feed, type FeedState, handOffFeed, liveFeed, sealedFeed } from './feed.ts'
import { Readers, type ReadersOptions } from './readers.ts'

/** Holds the readers' connections and publishes their events, in a separate process. */
interface Setup {
  nats: { servers: string; user: string; pass: string }
  state: FeedState
}

export type Command =
  | ({ do: 'open' } & ReadersOptions)
  | { do: 'close' }
  /** Keeps so many events in flight for some seconds. `fanOut`: streams that each event goes to. */
  | { do: 'pump'; feed: 'live' | 'bare' | 'sealed'; users: string[]; onTheWay: number; fanOut: number; seconds: number }
  /** Hands over notifications at a steady rate. */
  | { do: 'pace'; users: string[]; perSecond: number; seconds: number }
  | { do: 'count' }

const everyMs = 5
const drainMs = 20_000
/** Events that are published before NATS and the readers get a turn. */
const burst = 64

const readers = new Readers()
const { nats, state } = await new Promise<Setup>((resolve) => process.once('message', resolve))
const bus = await connect(nats)
const feeds: Record<'live' | 'bare' | 'sealed' | 'handOff', Feed> = {
  live: liveFeed(state),
  bare: bareFeed(),
  sealed: sealedFeed(),
  handOff: handOffFeed(state),
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function untilRead(events: number): Promise<void> {
  const deadlineMs = performance.now() + drainMs
  while (readers.events < events) {
    if (performance.now() > deadlineMs) throw new Error(`${readers.events} of ${events} events arrived`)
    await delay(1)
  }
}

async function pump({ feed, users, onTheWay, fanOut, seconds }: Extract<Command, { do: 'pump' }>) {
  const make = feeds[feed]
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  const before = readers.events
  let published = 0
  while (performance.now() < endMs) {
    const room = onTheWay - (published * fanOut - (readers.events - before)) / fanOut
    for (let at = 0; at < Math.min(room, burst); at++) {
      const { subject, data } = make(users[published % users.length]!)
      bus.publish(subject, data)
      published += 1
    }
    await turn()
  }
  await untilRead(before + published * fanOut)
  return { events: readers.events - before, seconds: (performance.now() - startMs) / 1000 }
}

async function pace({ users, perSecond, seconds }: Extract<Command, { do: 'pace' }>): Promise<number[]> {
  readers.time(true)
  const before = readers.events
  const startMs = performance.now()
  let published = 0
  for (let tick = 1; tick <= (seconds * 1000) / everyMs; tick++) {
    for (; published < (tick * everyMs * perSecond) / 1000; published++) {
      const { subject, data } = feeds.handOff(users[published % users.length]!)
      bus.publish(subject, data)
    }
    await delay(Math.max(0, startMs + tick * everyMs - performance.now()))
  }
  await untilRead(before + published)
  const { latencies } = readers
  readers.time(false)
  return latencies
}

async function run(command: Command): Promise<unknown> {
  if (command.do === 'open') return readers.openAll(command)
  if (command.do === 'close') return readers.closeAll()
  if (command.do === 'pump') return pump(command)
  if (command.do === 'pace') return pace(command)
  return { open: readers.open, heartbeats: readers.heartbeats }
}

process.on('message', (command: Command) => {
  run(command).then(
    (result) => process.send!({ result }),
    (error: Error) => process.send!({ error: error.stack }),
  )
})
process.on('disconnect', () => process.exit())
process.send!('ready')
