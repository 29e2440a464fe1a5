import type { ResendCredentials } from './credentials.ts'

/** Where the API is, and how it is called. */
export const apiOf = {
  standInPath: '/resend',
  baseUrlOf: () => 'https://api.resend.com',
  headersOf: ({ api_key }: ResendCredentials): Record<string, string> => ({ authorization: `Bearer ${api_key}` }),
} as const
