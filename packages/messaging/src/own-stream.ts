import type { ConsumerInfo, MsgRequest, StreamInfo } from '@nats-io/jetstream'
import { type ServiceName, streams } from '@notify/contracts'
import type { Bus } from './connect.ts'
import { matchesFilter } from './matches-filter.ts'
import { readPosition } from './read-position.ts'

/** A message that the stream of a service still holds. */
export interface RetainedMessage {
  seq: number
  subject: string
  /** JSON text of an array of `WireEvent`. */
  text: string
}

const decoder = new TextDecoder()

/** The messages on a subject that a service's own stream still holds, oldest first. */
export async function* retainedMessages(
  bus: Bus,
  service: ServiceName,
  filter: string,
): AsyncGenerator<RetainedMessage> {
  const { name } = streams[service]
  for (let seq = 1; ; ) {
    const message = await bus.jsm.streams.getMessage(name, nextOn(filter, seq))
    if (!message) return
    yield { seq: message.seq, subject: message.subject, text: decoder.decode(message.data) }
    seq = message.seq + 1
  }
}

/** nats-server supports `next_by_subj` since 2.9; the client's types allow it for direct reads only. */
const nextOn = (filter: string, seq: number) => ({ seq, next_by_subj: filter }) as MsgRequest

/**
 * Whether every durable that receives a message has acknowledged it and all before it. A durable whose position is unknown
 * counts as having acknowledged nothing.
 */
export async function readConsumption(
  bus: Bus,
  service: ServiceName,
): Promise<(message: Pick<RetainedMessage, 'seq' | 'subject'>) => boolean> {
  const { name } = streams[service]
  const durables: ConsumerInfo[] = []
  for await (const info of bus.jsm.consumers.list(name)) durables.push(info)
  const { state } = await bus.jsm.streams.info(name)
  const known = durables.map((info) => {
    const position = readPosition(info)
    const floor = position && position.delivered <= state.last_seq ? position.floor : 0
    return { filter: info.config.filter_subject, floor }
  })
  return ({ seq, subject }) =>
    known.filter(({ filter = subject }) => matchesFilter(filter, subject)).every(({ floor }) => seq <= floor)
}

/**
 * Whether the server can count the messages of a stream, and read the newest one. With a damaged block, nats-server 2.9
 * confirms new messages that cannot be read.
 * @param info fresh from the server
 */
export async function isReadable(bus: Bus, { config: { name }, state }: StreamInfo): Promise<boolean> {
  const { messages, first_seq, last_seq } = state
  if (messages > last_seq - first_seq + 1) return false
  if (last_seq < first_seq || last_seq === 0) return true
  if (await bus.jsm.streams.getMessage(name, { seq: last_seq })) return true
  // Checks whether the message was deleted before, or has expired meanwhile.
  const { state: now } = await bus.jsm.streams.info(name, { deleted_details: true })
  return now.first_seq > last_seq || now.deleted?.includes(last_seq) === true
}

/** More than are published between a look at a stream and its purge. */
const skippedAtPurge = 1_000_000

/**
 * Removes all messages and files of a service's own stream. It keeps its durables, and sequences continue after a gap. A second
 * purge that was decided before the first removes nothing that was published in between.
 * @param lastSeq the last sequence when the purge was decided
 */
export async function purgeStream(bus: Bus, service: ServiceName, lastSeq: number): Promise<void> {
  // Below the last sequence, nats-server would keep the damaged block. Above, it continues with this sequence.
  await bus.jsm.streams.purge(streams[service].name, { seq: lastSeq + 1 + skippedAtPurge })
}

/** Deletes a message from a service's own stream and overwrites its bytes. Its sequence stays used. */
export async function eraseMessage(bus: Bus, service: ServiceName, seq: number): Promise<void> {
  await bus.jsm.streams.deleteMessage(streams[service].name, seq, true)
}
