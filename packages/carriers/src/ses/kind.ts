import { z } from 'zod'
import { SesCredentials } from './credentials.ts'

export const ses = {
  channel: 'email',
  credentials: SesCredentials,
  environment: {
    SES_API_URL: z
      .url()
      .optional()
      .describe("Base address of Amazon SES's API; by default that of the provider's region"),
  },
} as const
