import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { serviceNames } from '@notify/contracts'
import type { NatsLogin } from './nats-login.ts'
import { provisionStream } from './provision.ts'

/**
 * Creates or updates the streams of all services.
 * @param login of the admin user
 * @throws Error when NATS cannot be reached or refuses
 */
export async function provisionStreams({ servers, options }: NatsLogin, replicas: number): Promise<void> {
  const connection = await connect({ servers, ...options, name: 'provision', maxReconnectAttempts: 20 })
  try {
    const bus = { connection, js: jetstream(connection), jsm: await jetstreamManager(connection, { checkAPI: false }) }
    for (const service of serviceNames) await provisionStream(bus, service, replicas)
  } finally {
    await connection.close()
  }
}
