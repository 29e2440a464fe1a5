import { receivingEnvironment } from '@notify/carriers/receiving'
import { parsedBy, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, proxyConfig, publicUrl, signingKey } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object({
  ...commonConfig,
  FORWARD_CALLBACKS_FOR: duration('72h').describe(
    'How long callbacks for a tenant that moved to another cell are forwarded to it; carriers repeat theirs for days',
  ),
  DISPATCH_URL: z.url().describe('Internal address of dispatch'),
  PUBLIC_URL: publicUrl.describe('Public base URL of the API; carrier signatures cover it'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring: comma-separated `<key id>:<base64 of 32 bytes>`, current key first'),
  SERVICE_SIGNING_KEY: signingKey('callbacks').describe(
    'Private ES256 JWK whose kid begins with `callbacks`; dispatch shows providers to requests that it signed',
  ),
  ...receivingEnvironment,
  ...proxyConfig,
})
export type Config = z.output<typeof Config>
