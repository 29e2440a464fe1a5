import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { TelnyxCredentials } from './credentials.ts'

/** @see https://developers.telnyx.com/docs/messaging/messages/message-encoding */
export const telnyx = {
  channel: 'sms',
  credentials: TelnyxCredentials,
  loadSender: async () => (await import('./send.ts')).telnyxSender,
  secrets: ['api_key'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
  mostSegments: 10,
} as const satisfies SendingKind
