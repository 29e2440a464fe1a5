import { z } from 'zod'
import { TwilioCredentials } from './credentials.ts'

export const twilio = {
  channel: 'sms',
  credentials: TwilioCredentials,
  environment: {
    TWILIO_API_URL: z.url().default('https://api.twilio.com').describe('Base URL of the Twilio API'),
  },
} as const
