import { z } from 'zod'

export const twilioEnvironment = {
  TWILIO_API_URL: z.url().default('https://api.twilio.com').describe('Base URL of the Twilio API'),
}
export type TwilioEnvironment = z.output<z.ZodObject<typeof twilioEnvironment>>
