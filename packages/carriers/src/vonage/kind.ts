import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { VonageCredentials } from './credentials.ts'

/** @see https://developer.vonage.com/en/api/messages */
export const vonage = {
  channel: 'sms',
  credentials: VonageCredentials,
  loadSender: async () => (await import('./send.ts')).vonageSender,
  secrets: ['api_secret', 'private_key', 'signature_secret'],
  fixedAccount: 'api_key',
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
  longestOwnText: 1000,
} as const satisfies SendingKind
