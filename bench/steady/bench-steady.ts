import { setTimeout as delay } from 'node:timers/promises'
import { Channel, channelContracts } from '@notify/contracts'
import { destinationOf, type Send, sendersOf } from '../channels.ts'
import { each } from '../counts/counts.ts'
import { type Counted, countDuring, settleMs, withCounts } from '../counts/read-counts.ts'
import { createJsonClient, type JsonClient } from '../json-client.ts'
import { percentile, roundTo } from '../statistics.ts'
import { arrivalsAtCarrier, openStreams, type ReadArrivals, startReceivers } from './arrivals.ts'
import { figuresOf, printFigures, printStatements } from './figures.ts'
import { type Sent, sendSteadily } from './open-loop.ts'

const rates = (process.env.BENCH_RATES ?? '0,10,50,200').split(',').map(Number)
const seconds = Number(process.env.BENCH_SECONDS ?? 30)
const warmUpSeconds = 5
/** Sending continues until the counters are read. */
const tailSeconds = 2
const longestMs = 60_000
const receiverCount = 50

/** A channel, and the arrivals of its messages. */
interface Subject {
  send: Send
  arrivals: ReadArrivals
}

/**
 * The work of the idle system, and of one message at a steady rate: CPU of each process, transactions, WAL, messages of NATS,
 * wakes, writes, and the time from its 202 and from its planned send until it arrives at the carrier, receiver or stream.
 */
export function benchSteady(): Promise<object> {
  return withCounts(async (counted) => {
    const client = createJsonClient(counted.stack)
    await delay(settleMs)
    const idle = rates.includes(0) ? { idle: await measureIdle(counted) } : {}
    try {
      return { seconds, ...idle, channels: await measureChannels(counted, client) }
    } finally {
      client.close()
    }
  })
}

async function measureIdle(counted: Counted): Promise<object> {
  const { counts, elapsedSeconds } = await countDuring(counted, seconds)
  const figures = figuresOf(each({}, counts, elapsedSeconds))
  printFigures('idle, a second', figures)
  await printStatements(counted.database, elapsedSeconds)
  return figures
}

async function measureChannels(counted: Counted, client: JsonClient): Promise<Record<string, object>> {
  const { stack } = counted
  const receivers = await startReceivers(stack, receiverCount)
  const streams = await openStreams(stack, client)
  counted.beside.receivers = receivers.process.pid!
  try {
    const { urls } = receivers
    const send = await sendersOf(client, (n) => urls[n % urls.length]!)
    const onePort = await sendersOf(client, () => urls[0]!)
    const carrier = () => arrivalsAtCarrier(stack)
    const readers = { carrier, receiver: receivers.read, user: streams.read }
    const channels = Channel.options.map((channel): [string, Subject] => [
      channel,
      { send: send[channel], arrivals: readers[destinationOf(channelContracts[channel])] },
    ])
    const subjects: Record<string, Subject> = {
      ...Object.fromEntries(channels),
      webhook_one_port: { send: onePort.webhook, arrivals: receivers.read },
      otp: { send: send.otp, arrivals: carrier },
    }
    const only = process.env.BENCH_ONLY?.split(',') ?? Object.keys(subjects)
    const results: Record<string, object> = {}
    for (const [name, subject] of Object.entries(subjects).filter(([key]) => only.includes(key))) {
      const found: [string, object][] = []
      for (const rate of rates.filter((one) => one > 0)) {
        found.push([String(rate), await measureRate(counted, `${name} at ${rate} a second`, subject, rate)])
      }
      results[name] = Object.fromEntries(found)
    }
    return results
  } finally {
    streams.close()
    receivers.close()
  }
}

let serial = 0

async function measureRate(
  counted: Counted,
  title: string,
  { send, arrivals }: Subject,
  rate: number,
): Promise<object> {
  const lastingSeconds = warmUpSeconds + seconds + tailSeconds
  const sending = sendSteadily(send, serial, rate, lastingSeconds)
  serial += rate * lastingSeconds
  await delay(warmUpSeconds * 1000)
  const { counts, elapsedSeconds, fromMs, toMs } = await countDuring(counted, seconds)
  const sent = (await sending).filter(({ plannedMs }) => plannedMs >= fromMs && plannedMs < toMs)
  const times = await timesOf(sent, arrivals)
  const figures = { ...figuresOf(each({}, counts, elapsedSeconds * rate)), ...times }
  printFigures(title, figures)
  await printStatements(counted.database, elapsedSeconds * rate)
  return figures
}

async function timesOf(sent: readonly Sent[], arrivals: ReadArrivals): Promise<object> {
  const deadlineMs = performance.now() + longestMs
  for (;;) {
    const arrived = await arrivals()
    const missing = sent.filter(({ number }) => !arrived.has(number)).length
    if (missing > 0 && performance.now() < deadlineMs) {
      await delay(250)
      continue
    }
    const seen = sent.flatMap((one) => (arrived.has(one.number) ? [{ ...one, atMs: arrived.get(one.number)! }] : []))
    return {
      sent: sent.length,
      missing,
      // A message can arrive before its 202 is read.
      from_202: summary(seen.map(({ acceptedMs, atMs }) => Math.max(0, atMs - acceptedMs))),
      from_planned: summary(seen.map(({ plannedMs, atMs }) => atMs - plannedMs)),
      planned_to_202: summary(sent.map(({ plannedMs, acceptedMs }) => acceptedMs - plannedMs)),
    }
  }
}

function summary(times: readonly number[]): object {
  return { p50_ms: roundTo(percentile(times, 0.5), 1), p99_ms: roundTo(percentile(times, 0.99), 1) }
}
