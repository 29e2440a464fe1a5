import type { Channel } from '@notify/contracts'
import type { z } from 'zod'

/** What is known of a kind of carrier account without loading the code that calls it. */
export interface CarrierKind {
  channel: Channel
  /** The values of credentials are texts. */
  credentials: z.ZodType
  /** Environment variables of the sending half, added to the configuration of dispatch. */
  environment: z.core.$ZodLooseShape
}
