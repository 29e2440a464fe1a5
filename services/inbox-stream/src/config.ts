import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, jsonText, signingKey } from '@notify/service-kit'
import { z } from 'zod'
import { UserTokenKeys } from './tokens/user-token-keys.ts'

export const Config = z.object({
  ...commonConfig,
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .describe('The same as that of dispatch; inboxes are known by an HMAC of the user under it'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; bodies are compared by an HMAC under it'),
  DISPATCH_URL: z.url().describe('Internal address of dispatch, which keeps the preferences of users'),
  SERVICE_SIGNING_KEY: signingKey('inbox-stream').describe(
    'Private ES256 JWK whose kid begins with `inbox-stream`; dispatch answers callers that sign with it',
  ),
  USER_TOKEN_KEYS: jsonText(UserTokenKeys).describe(
    'JWKS of private ES256 keys: the first signs user tokens, all verify them and are published',
  ),
  BOOTSTRAP_FILE: z.string().optional().describe('JSON document with the applications to start with'),
  INBOX_RETENTION: duration('90d')
    // Longer than a hand-off may be repeated, so that a deleted notification does not reappear.
    .refine((ms) => ms >= 8 * 86_400_000, 'must be at least 8d')
    .describe('How long notifications and their events are kept; at least 8 days'),
  STREAMS_PER_USER: z.coerce
    .number()
    .int()
    .positive()
    .default(20)
    .describe('Streams that one user may have open at all replicas; one more is answered 429'),
  USER_CHANGES_PER_SECOND: z.coerce
    .number()
    .int()
    .positive()
    .default(20)
    .describe(
      'Changes per second that one user may make at each replica, after a pause 5 s of them at once; more are answered 429',
    ),
  STREAM_MEMORY: z.coerce
    .number()
    .int()
    .positive()
    .default(512 * 1024 * 1024)
    .describe(
      'Bytes that open event streams may take in one process, each counted as 24 KiB and what its reader has not taken; beyond it new streams are answered 503',
    ),
})
export type Config = z.output<typeof Config>
