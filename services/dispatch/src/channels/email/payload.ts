import { z } from 'zod'

/** A stored email: addresses in ASCII, names of one line. */
export const EmailPayload = z.object({
  channel: z.literal('email'),
  to: z.string(),
  to_name: z.string().exactOptional(),
  /** Sender in place of the provider's. */
  from: z.string().exactOptional(),
  from_name: z.string().exactOptional(),
  subject: z.string(),
  text: z.string().exactOptional(),
  html: z.string().exactOptional(),
})
export type EmailPayload = z.output<typeof EmailPayload>
