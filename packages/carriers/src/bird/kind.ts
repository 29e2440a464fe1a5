import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { BirdCredentials } from './credentials.ts'

export const bird = {
  channel: 'sms',
  credentials: BirdCredentials,
  loadSender: async () => (await import('./send.ts')).birdSender,
  secrets: ['access_key', 'signing_key'],
  fixedAccount: 'channel_id',
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
