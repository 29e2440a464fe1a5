import { receivingEnvironment } from '@notify/carriers/receiving'
import { keyRingVariable } from '@notify/privacy'
import { commonConfig } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object({
  ...commonConfig,
  PUBLIC_URL: z.url().describe('Public base URL of the API; carrier signatures cover it'),
  ENCRYPTION_KEYS: keyRingVariable,
  ...receivingEnvironment,
})
export type Config = z.output<typeof Config>
