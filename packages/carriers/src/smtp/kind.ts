import type { CarrierKind } from '../carrier-kind.ts'
import { SmtpCredentials } from './credentials.ts'

export const smtp = {
  channel: 'email',
  credentials: SmtpCredentials,
  secrets: ['password'],
  destinationOf: ({ host = '', port }) => ({ host, port: Number(port) }),
  environment: {},
} as const satisfies CarrierKind
