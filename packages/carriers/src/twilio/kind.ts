import { smsInboundCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { TwilioCredentials } from './credentials.ts'
import { twilioEnvironment } from './environment.ts'
import { longestText } from './limits.ts'

export const twilio = {
  channel: 'sms',
  credentials: TwilioCredentials,
  loadSender: async () => (await import('./send.ts')).twilioSender,
  longestText,
  secrets: ['auth_token', 'previous_auth_token'],
  fixedAccount: 'account_sid',
  callbackOf: () => smsInboundCallback,
  environment: twilioEnvironment,
} as const satisfies SendingKind
