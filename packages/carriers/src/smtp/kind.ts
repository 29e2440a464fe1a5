import { parseAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { z } from 'zod'
import { SmtpCredentials } from './credentials.ts'

export const smtp = {
  channel: 'email',
  credentials: SmtpCredentials,
  environment: {
    SMTP_EGRESS_ALLOW: z
      .string()
      .default('')
      .transform(parsedBy(parseAllowList))
      .describe(
        'Mail servers that providers may name although they are not public, `host:port` or networks, comma separated: relays of your own',
      ),
  },
} as const
