import type { commonConfig, Kit } from '@notify/service-kit'
import type { z } from 'zod'
import { type Bus, connectBus, loggedEveryTries } from './connect.ts'
import { readNatsLogin } from './nats-login.ts'
import { isMisconfigured, provisionStream } from './provision.ts'

/** The variables of a service with the address and login of its bus. */
export type BusConfig = Parameters<typeof readNatsLogin>[0] &
  Pick<z.output<z.ZodObject<typeof commonConfig>>, 'STREAM_REPLICAS'>

/**
 * Opens the bus for a service: connects and creates the service's stream. Registers its end. Waits for NATS and for JetStream
 * without limit, and logs that it waits.
 * @param options.requiredForReady as for {@link connectBus}; false by default
 * @throws ConfigError for a contradictory login; Error when NATS refuses the login or the stream, or the process is stopped
 * while waiting
 */
export async function openBus(
  kit: Kit,
  config: BusConfig,
  { requiredForReady = false }: { requiredForReady?: boolean } = {},
): Promise<Bus> {
  const bus = await connectBus(kit, { login: readNatsLogin(config), requiredForReady })
  await provisionStream(bus, kit.service, config.STREAM_REPLICAS, (error, attempt) => {
    const reason = (error as Error).message
    if (kit.lifecycle.stopping) throw new Error('stopped while waiting for JetStream', { cause: error })
    if (isMisconfigured(error))
      throw new Error(`NATS refuses the stream of ${kit.service}: ${reason}`, { cause: error })
    // The first attempt also fails when another replica creates the stream at the same moment.
    if (attempt % loggedEveryTries === 2)
      kit.log.warn({ reason }, 'waiting for JetStream: NATS answers, JetStream does not')
  })
  return bus
}
