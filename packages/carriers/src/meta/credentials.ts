import { z } from 'zod'

const graphId = z.string().regex(/^\d{1,32}$/, 'must be digits')
/** Travels in a header. */
const token = z.string().regex(/^[\x21-\x7e]{8,1024}$/, 'must be 8 to 1024 visible ASCII characters')

/** Credentials of a WhatsApp number. `app_secret` and `verify_token` belong to an app of the customer's own. */
export const MetaCredentials = z.strictObject({
  phone_number_id: graphId,
  business_account_id: graphId,
  access_token: token,
  app_secret: token.optional(),
  verify_token: token.optional(),
})
export type MetaCredentials = z.infer<typeof MetaCredentials>
