import { z } from 'zod'
import { emailSender, headerText } from '../credential-fields.ts'

/** Credentials of a Resend team. */
export const ResendCredentials = z
  .strictObject({
    api_key: headerText.meta({ title: 'API key', description: 'With full or sending access' }),
    ...emailSender('Its domain must be verified at Resend'),
    signing_secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{20,100}={0,2}$/, 'must be whsec_ and base64')
      .optional()
      .meta({ title: 'Signing secret', description: 'Of the webhook; without it no receipts count' }),
  })
  .meta({ title: 'Resend' })
export type ResendCredentials = z.infer<typeof ResendCredentials>
