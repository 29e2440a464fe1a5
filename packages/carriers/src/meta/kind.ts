import { randomBytes } from 'node:crypto'
import { cloudCallback, sharedCloudCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { MetaCredentials } from './credentials.ts'
import { metaEnvironment } from './environment.ts'

export const meta = {
  channel: 'whatsapp',
  credentials: MetaCredentials,
  loadSender: async () => (await import('./send.ts')).metaSender,
  // Above it Meta refuses messages of the number, also codes.
  defaultRatePerSecond: 80,
  hasTemplates: true,
  templateForm: {
    name: /^[a-z0-9_]{1,512}$/,
    language: /^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/,
    parameterName: /^[a-z0-9_]{1,64}$/,
    longestParameter: 1024,
  },
  secrets: ['access_token', 'app_secret', 'verify_token'],
  make: ({ app_secret, verify_token }): Record<string, string> =>
    app_secret === undefined || verify_token !== undefined
      ? {}
      : { verify_token: randomBytes(24).toString('base64url') },
  fixedAccount: 'phone_number_id',
  exclusiveAccount: true,
  callbackOf: ({ app_secret }) => (app_secret === undefined ? sharedCloudCallback : cloudCallback),
  environment: metaEnvironment,
} as const satisfies SendingKind
