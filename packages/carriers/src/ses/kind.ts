import { emailCallback } from '@notify/contracts'
import { z } from 'zod'
import type { CarrierKind } from '../carrier-kind.ts'
import { SesCredentials } from './credentials.ts'

export const ses = {
  channel: 'email',
  credentials: SesCredentials,
  /** The records of a MAIL FROM domain: whom its SPF record includes, and the mail server that takes its bounces. */
  mailFrom: {
    include: 'amazonses.com',
    mailServer: (region: string) => `feedback-smtp.${region}.amazonses.com`,
  },
  secrets: ['secret_access_key'],
  callbackOf: () => emailCallback,
  environment: {
    SES_API_URL: z
      .url()
      .optional()
      .describe("Base URL of the Amazon SES API. Default: the endpoint of the provider's region"),
  },
} as const satisfies CarrierKind & { mailFrom: object }
