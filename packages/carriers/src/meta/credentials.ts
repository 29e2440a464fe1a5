import { z } from 'zod'

const graphId = z.string().regex(/^\d{1,32}$/, 'must be digits')
/** Sent in a header. */
const token = z.string().regex(/^[\x21-\x7e]{8,1024}$/, 'must be 8 to 1024 visible ASCII characters')

/** Credentials of a WhatsApp number. `app_secret` and `verify_token` belong to an app of the customer's own. */
export const MetaCredentials = z
  .strictObject({
    phone_number_id: graphId.meta({ title: 'Phone number ID' }),
    business_account_id: graphId.meta({ title: 'Business account ID' }),
    access_token: token.meta({ title: 'Access token', description: 'Of a system user, so that it does not expire' }),
    app_secret: token
      .optional()
      .meta({ title: 'App secret', description: 'Of an app of your own; it signs the webhooks' }),
    verify_token: token.optional().meta({
      title: 'Verify token',
      description: 'For an app of your own; a new provider without one gets a generated one',
    }),
  })
  .meta({ title: 'WhatsApp Cloud API' })
export type MetaCredentials = z.infer<typeof MetaCredentials>
