import { parseAllowList } from '@notify/egress-guard'
import { parsedBy } from '@notify/privacy'
import { z } from 'zod'
import type { CarrierKind } from '../carrier-kind.ts'
import { SmtpCredentials } from './credentials.ts'

export const smtp = {
  channel: 'email',
  credentials: SmtpCredentials,
  secrets: ['password'],
  destinationOf: ({ host = '', port }) => ({ host, port: Number(port) }),
  environment: {
    SMTP_EGRESS_ALLOW: z
      .string()
      .default('')
      .transform(parsedBy(parseAllowList))
      .describe(
        'Mail servers that providers may name although they are not public, `host:port` or networks, comma separated: relays of your own',
      ),
  },
} as const satisfies CarrierKind
