import { parseDevelopmentAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { z } from 'zod'

export const webhookVariables = {
  WEBHOOK_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform(parsedBy(parseDevelopmentAllowList))
    .describe(
      'Receivers that may be called although they are not public, as webhook-delivery is told; for development, refused in production',
    ),
}
