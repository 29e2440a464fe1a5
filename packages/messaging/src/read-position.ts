import type { ConsumerInfo } from '@nats-io/jetstream'
import { z } from 'zod'

/** Only safe integers: an underflow in the server, 2^64-1, is refused. */
const Count = z.int().nonnegative()
const Pair = z
  .object({ consumer_seq: Count, stream_seq: Count })
  .refine(({ consumer_seq, stream_seq }) => consumer_seq === 0 || stream_seq > 0)

const Answer = z
  .object({ delivered: Pair, ack_floor: Pair, num_pending: Count, num_ack_pending: Count })
  .refine(({ delivered, ack_floor }) => ack_floor.stream_seq <= delivered.stream_seq)
  .refine(({ delivered, ack_floor }) => ack_floor.consumer_seq <= delivered.consumer_seq)

/** The position of a durable in its stream. */
export interface Position {
  /** The newest sequence that was delivered. */
  delivered: number
  /** All messages up to this sequence were acknowledged. */
  floor: number
  /** The number of messages that were not delivered yet. */
  pending: number
  unacknowledged: number
}

/**
 * Reads the position from the server's info on a durable. nats-server 2.9 with a corrupt state file reports 2^64-1.
 * @returns `undefined` when the answer is impossible: the position is unknown
 */
export function readPosition(info: ConsumerInfo): Position | undefined {
  const { data } = Answer.safeParse(info)
  if (!data) return undefined
  const { delivered, ack_floor, num_pending: pending, num_ack_pending: unacknowledged } = data
  // The server reports 0 as the floor of a durable that was just created with a start sequence.
  const isFresh = delivered.consumer_seq === 0 && unacknowledged === 0
  const floor = isFresh ? delivered.stream_seq : ack_floor.stream_seq
  return { delivered: delivered.stream_seq, floor, pending, unacknowledged }
}
