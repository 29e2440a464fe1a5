import { receivingEnvironment } from '@notify/carriers/receiving'
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
  ...receivingEnvironment,
})
export type Config = z.output<typeof Config>
