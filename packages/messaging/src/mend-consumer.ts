import { type ConsumerConfig, type ConsumerInfo, DeliverPolicy, type StreamInfo } from '@nats-io/jetstream'
import { z } from 'zod'
import type { Bus } from './connect.ts'
import { hasBegunAnew, joinOrigins, originOf, type StreamOrigin } from './stream-origin.ts'

/** The newest message that this process received. */
export interface SeenMessage {
  seq: number
  time: Date
}

/** Stored in the durable's description: the server and time of the last check. */
const Mark = z.object({
  origin: z.object({ leader: z.string(), server_id: z.string().optional(), elected_at: z.string().optional() }),
  looked_at: z.coerce.date(),
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
export function markOf(bus: Bus, stream: StreamInfo, known: Mark | undefined): string {
  const origin: StreamOrigin = joinOrigins(known?.origin ?? null, originOf(bus, stream))
  return JSON.stringify({ origin, looked_at: new Date().toISOString() })
}

/** Where a recreated durable starts. */
export type Start = Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq' | 'opt_start_time'>

export interface Look {
  stream: StreamInfo
  durable: ConsumerInfo
  seen: SeenMessage | undefined
  /** JetStream may lose the messages of this time before its server stopped, in milliseconds. */
  unsyncedMs: number
}

/**
 * Checks whether a durable has delivered messages that its stream has lost; it would skip the new messages with the
 * same sequences.
 * @returns where it must start again; `undefined` when its position is right
 */
export async function findNewStart(bus: Bus, { stream, durable, seen, unsyncedMs }: Look): Promise<Start | undefined> {
  const mark = readMark(durable.config.description)
  const delivered = durable.delivered.stream_seq
  if (delivered === 0) return undefined
  const isAhead = delivered > stream.state.last_seq
  if (!isAhead && !(mark && hasBegunAnew(mark.origin, originOf(bus, stream)))) return undefined
  const next = durable.ack_floor.stream_seq + 1
  // The newest received message still exists, and so do all before it.
  if (seen && (await timeOf(bus, durable, seen.seq)) === seen.time.getTime())
    return delivered <= seen.seq ? undefined : fromSeq(Math.min(next, seen.seq + 1))
  const lastKnownMs = Math.max(mark?.looked_at.getTime() ?? 0, seen?.time.getTime() ?? 0)
  if (lastKnownMs === 0) return fromSeq(1)
  // Older messages were synced, so their sequences were not reused.
  const stableBeforeMs = lastKnownMs - unsyncedMs
  const isStable = async (seq: number) =>
    seq < stream.state.first_seq || ((await timeOf(bus, durable, seq)) ?? Number.POSITIVE_INFINITY) < stableBeforeMs
  if (await isStable(delivered)) return undefined
  if (await isStable(next)) return fromSeq(next)
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(stableBeforeMs).toISOString() }
}

const fromSeq = (seq: number): Start => ({ deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: seq })

/** The time of the stream's message with this sequence, in Unix milliseconds; `undefined` if there is none. */
async function timeOf(bus: Bus, { stream_name }: ConsumerInfo, seq: number): Promise<number | undefined> {
  return (await bus.jsm.streams.getMessage(stream_name, { seq }))?.time.getTime()
}
