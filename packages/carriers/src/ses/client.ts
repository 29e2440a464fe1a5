import { SESv2Client } from '@aws-sdk/client-sesv2'

interface SesClientOptions {
  /** Base address of the API; by default that of the region. */
  endpoint?: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number
  /** Connections that are kept open and used again. */
  maxSockets?: number
}

/** A client of Amazon SES that tries once: what is tried again is decided where it is remembered. */
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
      // Shorter, so that a carrier that cannot be reached is told from one that does not answer.
      connectionTimeout: timeoutMs / 2,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  })
}
