import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { MailgunCredentials } from './credentials.ts'

export const mailgun = {
  channel: 'email',
  credentials: MailgunCredentials,
  loadSender: async () => (await import('./send.ts')).mailgunSender,
  hasDomains: true,
  secrets: ['api_key', 'webhook_signing_key'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
