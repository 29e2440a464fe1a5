import { SESv2Client } from '@aws-sdk/client-sesv2'

interface SesClientOptions {
  /** Base URL of the API; by default that of the region. */
  endpoint?: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Timeout of a request, in milliseconds. */
  timeoutMs: number
  /** Maximum kept-alive connections. */
  maxSockets?: number
}

/** An Amazon SES client without retries: Postgres holds the retry schedule. */
export function createSesClient({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  timeoutMs,
  maxSockets = 4,
}: SesClientOptions): SESv2Client {
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
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  })
}
