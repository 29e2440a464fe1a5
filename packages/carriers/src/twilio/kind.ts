import { smsInboundCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { TwilioCredentials } from './credentials.ts'
import { twilioEnvironment } from './environment.ts'

export const twilio = {
  channel: 'sms',
  credentials: TwilioCredentials,
  loadSender: async () => (await import('./send.ts')).twilioSender,
  // Error 21617.
  longestText: 1600,
  secrets: ['auth_token'],
  callbackOf: () => smsInboundCallback,
  environment: twilioEnvironment,
} as const satisfies SendingKind
