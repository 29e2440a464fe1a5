import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { ResendCredentials } from './credentials.ts'

export const resend = {
  channel: 'email',
  credentials: ResendCredentials,
  loadSender: async () => (await import('./send.ts')).resendSender,
  hasDomains: true,
  takesKeys: true,
  secrets: ['api_key', 'signing_secret'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
