import { z } from 'zod'

/** A WhatsApp number that may send, and the app that receives its webhooks. */
export const MetaNumber = z.strictObject({
  phone_number_id: z.string().regex(/^\d+$/),
  /** The account that owns the number and its templates. */
  business_account_id: z.string().regex(/^\d+$/),
  access_token: z.string().min(1),
  /** The secret that signs webhooks. */
  app_secret: z.string().min(1),
  webhook_url: z.url({ protocol: /^https?$/ }),
})
export type MetaNumber = z.output<typeof MetaNumber>
