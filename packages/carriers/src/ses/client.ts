import { SESv2Client } from '@aws-sdk/client-sesv2'
import type { SesCredentials } from './credentials.ts'
import { createHttpHandler } from './http-handler.ts'

interface SesClientOptions {
  /** Base URL of the API; by default that of the region. */
  endpoint: string | undefined
  /** Timeout of a whole exchange, in milliseconds. */
  timeoutMs: number
  /** Maximum kept-alive connections. */
  maxConnections?: number
}

/** An Amazon SES client without retries: Postgres holds the retry schedule. */
export function createSesClient(
  { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey }: SesCredentials,
  { endpoint, timeoutMs, maxConnections = 4 }: SesClientOptions,
): SESv2Client {
  return new SESv2Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    requestHandler: createHttpHandler({ timeoutMs, maxConnections }) as never,
  })
}
