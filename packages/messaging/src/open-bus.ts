import type { commonConfig, Kit } from '@notify/service-kit'
import type { z } from 'zod'
import { type Bus, connectBus } from './connect.ts'
import { readNatsLogin } from './nats-login.ts'
import { provisionStream } from './provision.ts'

type BusConfig = Parameters<typeof readNatsLogin>[0] &
  Pick<z.output<z.ZodObject<typeof commonConfig>>, 'STREAM_REPLICAS'>

/**
 * Opens the bus for a service: connects as the configuration says and makes the stream that the service owns.
 * Registers its end.
 * @param options.requiredForReady as for {@link connectBus}; false by default
 * @throws ConfigError when the login contradicts itself; Error when NATS refuses it
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
