import { z } from 'zod'
import { callbackSecret, emailSender, headerText } from '../credential-fields.ts'

/** Credentials of a SendGrid account. */
export const SendgridCredentials = z
  .strictObject({
    api_key: headerText.meta({ title: 'API key', description: 'With the permission Mail Send' }),
    region: z
      .enum(['global', 'eu'])
      .default('global')
      .meta({ title: 'Region', description: 'eu: the account is an EU subuser' }),
    ...emailSender('Its domain must be authenticated at SendGrid'),
    verification_key: callbackSecret('Verification key', 'Of the signed Event Webhook'),
  })
  .meta({ title: 'SendGrid' })
export type SendgridCredentials = z.infer<typeof SendgridCredentials>
