import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object({
  ...commonConfig,
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .describe('The same as that of dispatch; numbers are looked up by an HMAC under it'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; bodies are compared by an HMAC under it'),
})
export type Config = z.output<typeof Config>
