import { SESv2Client } from '@aws-sdk/client-sesv2'
import { throughProxy } from '../proxy.ts'
import type { SesCredentials } from './credentials.ts'

interface SesClientOptions {
  /** Base URL of the API; by default that of the region. */
  endpoint: string | undefined
  /** Timeout of a request, in milliseconds. */
  timeoutMs: number
  /** Maximum kept-alive connections. */
  maxSockets?: number
}

/** An Amazon SES client without retries: Postgres holds the retry schedule. */
export function createSesClient(
  { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey }: SesCredentials,
  { endpoint, timeoutMs, maxSockets = 4 }: SesClientOptions,
): SESv2Client {
  const agent = { keepAlive: true, maxSockets, ...throughProxy() }
  return new SESv2Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    requestHandler: {
      // Shorter, to distinguish an unreachable carrier from one that does not respond.
      connectionTimeout: timeoutMs / 2,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
