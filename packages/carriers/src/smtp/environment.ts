import { parseAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { z } from 'zod'

export const smtpEnvironment = {
  SMTP_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform(parsedBy(parseAllowList))
    .describe(
      'Mail servers that providers may name although they are not public, `host:port` or networks, comma separated: relays of your own',
    ),
}
export type SmtpEnvironment = z.output<z.ZodObject<typeof smtpEnvironment>>
