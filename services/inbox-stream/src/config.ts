import { commonConfig } from '@notify/service-kit'
import { z } from 'zod'

export const Config = z.object(commonConfig)
export type Config = z.output<typeof Config>
