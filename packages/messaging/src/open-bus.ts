import type { commonConfig, Kit } from '@notify/service-kit'
import type { z } from 'zod'
import { type Bus, connectBus } from './connect.ts'
import { readNatsLogin } from './nats-login.ts'
import { provisionStream } from './provision.ts'

/** The variables of a service with the address and login of its bus. */
export type BusConfig = Parameters<typeof readNatsLogin>[0] &
  Pick<z.output<z.ZodObject<typeof commonConfig>>, 'STREAM_REPLICAS'>

/**
 * Opens the bus for a service: connects and creates the service's stream. Registers its end.
 * @param options.requiredForReady as for {@link connectBus}; false by default
 * @throws ConfigError for a contradictory login; Error when NATS refuses it
 */
export async function openBus(
  kit: Kit,
  config: BusConfig,
  { requiredForReady = false }: { requiredForReady?: boolean } = {},
): Promise<Bus> {
  const bus = await connectBus(kit, { login: readNatsLogin(config), requiredForReady })
  await provisionStream(bus, kit.service, config.STREAM_REPLICAS)
  return bus
}
