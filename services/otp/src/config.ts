import { commonConfig, signingKey } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object({
  ...commonConfig,
  SERVICE_SIGNING_KEY: signingKey('otp').describe(
    'Private ES256 JWK whose kid begins with `otp`; dispatch accepts codes to send from whoever signs with it',
  ),
})
export type Config = z.output<typeof Config>
