import { smsInboundCallback } from '@notify/contracts'
import { z } from 'zod'
import type { CarrierKind } from '../carrier-kind.ts'
import { TwilioCredentials } from './credentials.ts'

export const twilio = {
  channel: 'sms',
  credentials: TwilioCredentials,
  // Error 21617.
  longestText: 1600,
  secrets: ['auth_token'],
  callbackOf: () => smsInboundCallback,
  environment: {
    TWILIO_API_URL: z.url().default('https://api.twilio.com').describe('Base URL of the Twilio API'),
  },
} as const satisfies CarrierKind
