import { randomBytes } from 'node:crypto'
import { cloudCallback, sharedCloudCallback } from '@notify/contracts'
import { z } from 'zod'
import type { CarrierKind } from '../carrier-kind.ts'
import { MetaCredentials } from './credentials.ts'

export const meta = {
  channel: 'whatsapp',
  credentials: MetaCredentials,
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
  accountIdOf: ({ phone_number_id }) => phone_number_id,
  callbackOf: ({ app_secret }) => (app_secret === undefined ? sharedCloudCallback : cloudCallback),
  environment: {
    META_API_URL: z.url().default('https://graph.facebook.com').describe("Base address of Meta's Graph API"),
    META_API_VERSION: z
      .string()
      .regex(/^v\d{1,3}\.\d$/, 'must be a version such as v23.0')
      .default('v23.0')
      .describe('Version of the Graph API'),
  },
} as const satisfies CarrierKind
