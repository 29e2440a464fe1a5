import { z } from 'zod'
import { SesCredentials } from './credentials.ts'

export const ses = {
  channel: 'email',
  credentials: SesCredentials,
  environment: {
    SES_API_URL: z
      .url()
      .optional()
      .describe("Base URL of the Amazon SES API. Default: the endpoint of the provider's region"),
  },
} as const
