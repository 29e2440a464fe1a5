import type { SendingKind } from '../carrier-kind.ts'
import { SmtpCredentials } from './credentials.ts'
import { smtpEnvironment } from './environment.ts'

export const smtp = {
  channel: 'email',
  credentials: SmtpCredentials,
  loadSender: async () => (await import('./send.ts')).smtpSender,
  secrets: ['password'],
  destinationOf: ({ host = '', port }) => ({ host, port: Number(port) }),
  environment: smtpEnvironment,
} as const satisfies SendingKind
