import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, redisConfig, signingKey } from '@notify/service-kit'
import { z } from 'zod'

const perMinute = (fallback: number) => z.coerce.number().int().positive().default(fallback)

export const Config = z.object({
  ...commonConfig,
  ...redisConfig,
  DISPATCH_URL: z.url().describe('Internal address of dispatch'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .describe('The same as that of dispatch; recipients are looked up by an HMAC under it'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; codes and idempotent bodies are compared by HMACs under it'),
  SERVICE_SIGNING_KEY: signingKey('otp').describe(
    'Private ES256 JWK whose kid begins with `otp`; dispatch accepts codes from callers that sign with it',
  ),
  SENDS_PER_APPLICATION: perMinute(600).describe(
    'Codes a minute of one application whose settings have no `sends_per_minute`',
  ),
  SENDS_PER_COUNTRY: perMinute(300).describe('Codes a minute of one tenant to numbers of one country code'),
  SENDS_PER_PREFIX: perMinute(60).describe(
    'Codes a minute of one tenant to numbers with one prefix: country code and four digits',
  ),
  FRAUD_CONVERSION: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Share of codes that must be verified: a prefix below it is slowed, then blocked. 0 disables this'),
  FRAUD_SLOW_AFTER: z.coerce
    .number()
    .int()
    .positive()
    .max(500)
    .default(20)
    .describe('Number of codes to a prefix from which a low conversion slows it to a tenth of its rate'),
  FRAUD_BLOCK_AFTER: z.coerce
    .number()
    .int()
    .positive()
    .max(500)
    .default(60)
    .describe('Number of codes to a prefix from which a low conversion blocks it'),
  FRAUD_WINDOW: duration('1h').describe(
    'Time span of the codes by which conversion is judged; a blocked prefix is free again after it',
  ),
  FRAUD_GRACE: duration('2m').describe('How long a code may wait for its verification before it counts as unverified'),
})
export type Config = z.output<typeof Config>
