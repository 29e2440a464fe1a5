import { parsedBy, parseKeyRing } from '@notify/privacy'
import { commonConfig } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object({
  ...commonConfig,
  PUBLIC_URL: z.url().describe('Address of the API as carriers reach it; their signatures cover it'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  SNS_CERTIFICATE_HOSTS: z
    .string()
    .transform((text) => text.split(',').filter((origin) => origin.trim() !== ''))
    .pipe(
      z.array(
        z
          .string()
          .trim()
          .pipe(z.url())
          .transform((origin) => new URL(origin).origin),
      ),
    )
    .default([])
    .describe(
      "Origins, comma separated, that are trusted like Amazon SNS's own hosts with certificates and subscriptions; for development only",
    ),
})
export type Config = z.output<typeof Config>
