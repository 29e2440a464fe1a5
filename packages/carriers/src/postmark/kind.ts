import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { PostmarkCredentials } from './credentials.ts'

export const postmark = {
  channel: 'email',
  credentials: PostmarkCredentials,
  loadSender: async () => (await import('./send.ts')).postmarkSender,
  hasDomains: true,
  secrets: ['server_token', 'account_token', 'webhook_password'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
