import { emailCallback } from '@notify/contracts'
import type { SendingKind } from '../carrier-kind.ts'
import { SesCredentials } from './credentials.ts'
import { sesEnvironment } from './environment.ts'

export const ses = {
  channel: 'email',
  credentials: SesCredentials,
  loadSender: async () => (await import('./send.ts')).sesSender,
  /** The DNS records of a MAIL FROM domain: the domain that its SPF record includes, and its mail server for bounces. */
  mailFrom: {
    include: 'amazonses.com',
    mailServer: (region: string) => `feedback-smtp.${region}.amazonses.com`,
  },
  hasDomains: true,
  regionOf: ({ region }: SesCredentials) => region,
  secrets: ['secret_access_key'],
  callbackOf: () => emailCallback,
  environment: sesEnvironment,
} as const satisfies SendingKind & { mailFrom: object }
