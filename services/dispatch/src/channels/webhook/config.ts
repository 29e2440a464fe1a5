import { parseDevelopmentAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { z } from 'zod'

export const webhookVariables = {
  WEBHOOK_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform(parsedBy(parseDevelopmentAllowList))
    .describe(
      'Non-public receivers that may be called; same value as in webhook-delivery; for development, refused in production',
    ),
}
