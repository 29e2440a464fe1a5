import { type Command, Health, UsageError } from '@notify/service-kit'
import { connectBus } from './connect.ts'
import type { ConsumerEntry } from './consumer.ts'
import { readNatsLogin } from './nats-login.ts'
import { findConsumer } from './provision.ts'
import { readPosition } from './read-position.ts'

type Durable = Pick<ConsumerEntry<never>, 'event' | 'durable'>

/**
 * `main.ts consumers`: prints a line of JSON for each durable: the messages that are pending, those delivered and not
 * acknowledged, and the time of the last delivery. Numbers are null where NATS reports an impossible position.
 */
export function consumersCommand(consumers: readonly Durable[]): Command<Parameters<typeof readNatsLogin>[0]> {
  return async (config, kit, args) => {
    if (args.length > 0) throw new UsageError(`consumers takes no arguments; got ${args.join(' ')}`)
    const options = { login: readNatsLogin(config), requiredForReady: false }
    const bus = await connectBus({ ...kit, health: new Health() }, options)
    const lines = await Promise.all(
      consumers.map(async ({ event, durable }) => {
        const info = await findConsumer(bus, event.publisher, durable)
        if (!info) return { durable, missing: true }
        const { pending = null, unacknowledged = null } = readPosition(info) ?? {}
        return { durable, pending, unacknowledged, last_active: info.delivered.last_active ?? null }
      }),
    )
    process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
}
