import { carrierCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { standInEnvironment } from '../stand-in-url.ts'
import { SendgridCredentials } from './credentials.ts'

export const sendgrid = {
  channel: 'email',
  credentials: SendgridCredentials,
  loadSender: async () => (await import('./send.ts')).sendgridSender,
  hasDomains: true,
  secrets: ['api_key'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
