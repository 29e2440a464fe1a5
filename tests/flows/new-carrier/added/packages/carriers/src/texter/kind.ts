import { carrierCallback } from '@notify/contracts'
import { z } from 'zod'
import type { SendingKind } from '../carrier-kind.ts'
import { callbackSecret, headerText } from '../credential-fields.ts'
import { standInEnvironment } from '../stand-in-url.ts'

const TexterCredentials = z.strictObject({
  api_key: headerText.meta({ title: 'API key' }),
  callback_token: callbackSecret('Callback token', 'Stands in the header of each receipt'),
})
export type TexterCredentials = z.output<typeof TexterCredentials>

export const texter = {
  channel: 'sms',
  credentials: TexterCredentials,
  loadSender: async () => (await import('./send.ts')).texterSender,
  secrets: ['api_key', 'callback_token'],
  callbackOf: () => carrierCallback,
  environment: standInEnvironment,
} as const satisfies SendingKind
