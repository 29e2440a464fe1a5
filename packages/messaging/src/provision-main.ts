import { commonConfig, loadConfig } from '@notify/service-kit'
import { z } from 'zod'
import { readNatsLogin } from './nats-login.ts'
import { provisionStreams } from './provision-streams.ts'

/**
 * Provisions the streams of all services; run it once per installation and before each release. NATS_URL and login must
 * be those of the admin user, STREAM_REPLICAS as the services have it.
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
