import { z } from 'zod'

/** A stored SMS. */
export const SmsPayload = z.object({
  channel: z.literal('sms'),
  to: z.string(),
  text: z.string(),
})
export type SmsPayload = z.output<typeof SmsPayload>
