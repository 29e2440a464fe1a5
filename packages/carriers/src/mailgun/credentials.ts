import { z } from 'zod'
import { callbackSecret, emailSender, headerText } from '../credential-fields.ts'

/** Credentials of a sending domain at Mailgun. */
export const MailgunCredentials = z
  .strictObject({
    api_key: headerText.meta({ title: 'API key', description: 'Of the account, or a sending key of the domain' }),
    region: z.enum(['us', 'eu']).default('us').meta({ title: 'Region', description: 'Where the domain was added' }),
    domain: z
      .string()
      .max(253)
      .regex(
        /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/,
        'must be a domain name in lower case',
      )
      .meta({ title: 'Sending domain', examples: ['mg.example.com'] }),
    ...emailSender(),
    webhook_signing_key: callbackSecret('HTTP webhook signing key', 'Of the account'),
  })
  .meta({ title: 'Mailgun' })
export type MailgunCredentials = z.infer<typeof MailgunCredentials>
