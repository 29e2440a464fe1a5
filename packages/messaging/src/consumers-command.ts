import { parseArgs } from 'node:util'
import { streams } from '@notify/contracts'
import { type Command, Health, UsageError } from '@notify/service-kit'
import { type Bus, connectBus } from './connect.ts'
import type { ConsumerEntry } from './consumer.ts'
import { readNatsLogin } from './nats-login.ts'
import { findConsumer } from './provision.ts'
import { readPosition } from './read-position.ts'

type Durable = Pick<ConsumerEntry<never>, 'event' | 'durable'>

const usage =
  'use: consumers [--from-start <publisher>]\n' +
  'With --from-start the events in the stream of that service are handled again.'

/**
 * `main.ts consumers`: prints a line of JSON for each durable: the messages that are pending, those delivered and not
 * acknowledged, and the time of the last delivery. Numbers are null where NATS reports an impossible position.
 * `--from-start` deletes the durables on a stream; the service creates them again, at the first message.
 */
export function consumersCommand(consumers: readonly Durable[]): Command<Parameters<typeof readNatsLogin>[0]> {
  return async (config, kit, args) => {
    const publisher = readPublisher(args)
    const ofPublisher = consumers.filter(({ event }) => event.publisher === publisher)
    if (publisher !== undefined && ofPublisher.length === 0)
      throw new UsageError(`no consumer of this service reads the stream of ${publisher}\n${usage}`)
    const options = { login: readNatsLogin(config), requiredForReady: false }
    const bus = await connectBus({ ...kit, health: new Health() }, options)
    const lines = await Promise.all(
      publisher === undefined
        ? consumers.map((one) => readState(bus, one))
        : ofPublisher.map((one) => deleteDurable(bus, one)),
    )
    process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
}

async function readState(bus: Bus, { event, durable }: Durable) {
  const info = await findConsumer(bus, event.publisher, durable)
  if (!info) return { durable, missing: true }
  const { pending = null, unacknowledged = null } = readPosition(info) ?? {}
  return { durable, pending, unacknowledged, last_active: info.delivered.last_active ?? null }
}

async function deleteDurable(bus: Bus, { event, durable }: Durable) {
  const found = await findConsumer(bus, event.publisher, durable)
  if (found) await bus.jsm.consumers.delete(streams[event.publisher].name, durable)
  return { durable, deleted: found !== undefined }
}

function readPublisher(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { 'from-start': { type: 'string' } } }).values['from-start']
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}
