import { type ConsumerConfig, type ConsumerInfo, DeliverPolicy, type StreamInfo } from '@nats-io/jetstream'
import { z } from 'zod'
import type { Bus } from './connect.ts'
import { readPosition } from './read-position.ts'
import { hasRestarted, joinOrigins, originOf, type StreamOrigin } from './stream-origin.ts'

/** The newest message that this process received. */
export interface SeenMessage {
  seq: number
  time: Date
}

/** Stored in the durable's description: the server, the time and the floor of the last check. */
const Mark = z.object({
  origin: z.object({ leader: z.string(), server_id: z.string().optional(), elected_at: z.string().optional() }),
  looked_at: z.coerce.date(),
  /** All messages up to this sequence had been acknowledged at that time; absent if unknown. */
  floor: z.int().nonnegative().optional(),
})
type Mark = z.output<typeof Mark>

export function readMark(description: string | undefined): Mark | undefined {
  try {
    return Mark.parse(JSON.parse(description ?? ''))
  } catch {
    return undefined
  }
}

/** The description of a durable after a check now. */
export function markOf(bus: Bus, stream: StreamInfo, known: Mark | undefined, floor: number | undefined): string {
  const origin: StreamOrigin = joinOrigins(known?.origin ?? null, originOf(bus, stream))
  return JSON.stringify({ origin, looked_at: new Date().toISOString(), floor })
}

/** Where a recreated durable starts. */
export type Start = Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq' | 'opt_start_time'>

export interface Look {
  stream: StreamInfo
  durable: ConsumerInfo
  seen: SeenMessage | undefined
  /** JetStream may lose messages published within this time before its server stopped, in milliseconds. */
  unsyncedMs: number
}

/** `mended`: the stream lost messages that the durable had delivered. `position_unknown`: the server's answer is impossible. */
export interface Mend {
  start: Start
  cause: 'mended' | 'position_unknown'
}

/** The log message of each cause. */
export const mendSentences: Record<Mend['cause'], string> = {
  mended: 'durable recreated: its stream was restarted or lost messages, so the latest are received again',
  position_unknown: 'durable recreated: the server reported an impossible position, so messages are received again',
}

/**
 * Checks whether a durable has delivered messages that its stream has lost: it would skip the new messages with the same
 * sequences. Also checks whether its position is unknown.
 * @returns where it must start again, and why; `undefined` if its position is correct
 */
export async function findNewStart(bus: Bus, { stream, durable, seen, unsyncedMs }: Look): Promise<Mend | undefined> {
  const mark = readMark(durable.config.description)
  const isRestarted = mark !== undefined && hasRestarted(mark.origin, originOf(bus, stream))
  const position = readPosition(durable)
  const isAhead = position !== undefined && position.delivered > stream.state.last_seq
  const isReset = position?.delivered === 0 && (mark?.floor ?? 0) > 0
  const look = { bus, stream, unsyncedMs }
  if (!position || isAhead || isReset) {
    const start = mark?.floor === undefined ? fromSeq(1) : await startAfter(mark.floor, mark.looked_at.getTime(), look)
    return { start, cause: isAhead && isRestarted ? 'mended' : 'position_unknown' }
  }
  const { delivered, floor } = position
  if (delivered === 0 || !isRestarted) return undefined
  // The newest received message still exists, and so do all before it.
  if (seen && (await timeOf(look, seen.seq)) === seen.time.getTime())
    return delivered <= seen.seq ? undefined : { start: fromSeq(Math.min(floor, seen.seq) + 1), cause: 'mended' }
  const lastKnownMs = Math.max(mark.looked_at.getTime(), seen?.time.getTime() ?? 0)
  if (await isStable(delivered, lastKnownMs, look)) return undefined
  return { start: await startAfter(floor, lastKnownMs, look), cause: 'mended' }
}

interface Stream {
  bus: Bus
  stream: StreamInfo
  unsyncedMs: number
}

/** Starts after the messages that were acknowledged at the last check, if the stream cannot have lost them since. */
async function startAfter(floor: number, lastKnownMs: number, look: Stream): Promise<Start> {
  if (await isStable(floor + 1, lastKnownMs, look)) return fromSeq(floor + 1)
  const opt_start_time = new Date(lastKnownMs - look.unsyncedMs).toISOString()
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time }
}

/** Whether a message was synced to disk, so that its sequence and earlier ones cannot have been reused. */
async function isStable(seq: number, lastKnownMs: number, look: Stream): Promise<boolean> {
  if (seq < look.stream.state.first_seq) return true
  return ((await timeOf(look, seq)) ?? Number.POSITIVE_INFINITY) < lastKnownMs - look.unsyncedMs
}

const fromSeq = (seq: number): Start => ({ deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: seq })

/** The time of the stream's message with this sequence, in Unix milliseconds; `undefined` if there is none. */
async function timeOf({ bus, stream }: Stream, seq: number): Promise<number | undefined> {
  return (await bus.jsm.streams.getMessage(stream.config.name, { seq }))?.time.getTime()
}
