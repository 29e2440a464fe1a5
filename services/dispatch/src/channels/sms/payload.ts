import { z } from 'zod'

/** A stored SMS. Rows of release 0.1 do not name their channel. */
export const SmsPayload = z.object({
  channel: z.literal('sms').default('sms'),
  to: z.string(),
  text: z.string(),
})
export type SmsPayload = z.output<typeof SmsPayload>
