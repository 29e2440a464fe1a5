import { SESv2Client } from '@aws-sdk/client-sesv2'

interface SesClientOptions {
  /** Base address of the API; by default that of the region. */
  endpoint?: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number
}

/** A client of Amazon SES that tries once: what is tried again is decided where it is remembered. */
export function createSesClient({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  timeoutMs,
}: SesClientOptions): SESv2Client {
  return new SESv2Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  })
}
