import { e164Pattern } from '@notify/contracts'
import { z } from 'zod'
import { callbackSecret, headerText } from '../credential-fields.ts'

/** Credentials of a Telnyx account. */
export const TelnyxCredentials = z
  .strictObject({
    api_key: headerText.meta({ title: 'API key' }),
    from: z
      .string()
      .regex(e164Pattern, 'must be an E.164 number')
      .meta({ title: 'Sender number', description: 'In E.164 form', examples: ['+15005550006'] }),
    public_key: callbackSecret('Public key', 'Of the account; it verifies receipts and replies'),
  })
  .meta({ title: 'Telnyx' })
export type TelnyxCredentials = z.infer<typeof TelnyxCredentials>
