import { z } from 'zod'
import { callbackSecret, emailSender, headerText } from '../credential-fields.ts'

/** Credentials of a Postmark server. */
export const PostmarkCredentials = z
  .strictObject({
    server_token: headerText.meta({ title: 'Server API token' }),
    account_token: headerText.optional().meta({
      title: 'Account API token',
      description: 'Registers sending domains; without it they are verified at Postmark',
    }),
    message_stream: z
      .string()
      .regex(/^[a-z0-9_-]{1,100}$/, 'must be the ID of a message stream')
      .default('outbound')
      .meta({ title: 'Message stream', description: 'ID of a transactional or broadcast stream' }),
    ...emailSender('Its domain or address is verified at Postmark'),
    webhook_password: callbackSecret('Webhook password', 'Of the Basic auth of the webhook, with any user name'),
  })
  .meta({ title: 'Postmark' })
export type PostmarkCredentials = z.infer<typeof PostmarkCredentials>
