import { commonConfig, loadConfig } from '@notify/service-kit'
import { z } from 'zod'
import { readNatsLogin } from './nats-login.ts'
import { provisionStreams } from './provision-streams.ts'

/**
 * Prepares the streams of all services: `node packages/messaging/src/provision-main.ts`, once per installation and before each
 * release. `NATS_URL` and the login are those of a user who may do everything; `STREAM_REPLICAS` as the services have it.
 */
try {
  const { PORT: _, METRICS_PORT: __, DATABASE_URL: ___, PRINCIPAL_JWKS: ____, ...variables } = commonConfig
  const config = loadConfig(z.object(variables), process.env)
  await provisionStreams(readNatsLogin(config), config.STREAM_REPLICAS)
  console.log('provisioned the streams of all services')
} catch (error) {
  console.error(process.env.DEBUG ? error : `provision: ${(error as Error).message}`)
  process.exitCode = 1
}
