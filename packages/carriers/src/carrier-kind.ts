import type { Channel } from '@notify/contracts'
import type { z } from 'zod'

/** What is known of a kind of carrier account without loading its client. */
export interface CarrierKind {
  channel: Channel
  /** All values of credentials are strings. */
  credentials: z.ZodType
  /** Environment variables of the sending half, added to the configuration of dispatch. */
  environment: z.core.$ZodLooseShape
}
