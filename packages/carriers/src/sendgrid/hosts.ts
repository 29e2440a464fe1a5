import type { SendgridCredentials } from './credentials.ts'

const hosts = { global: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' }

/** Where the API of an account is, and how it is called. */
export const apiOf = {
  standInPath: '/sendgrid',
  baseUrlOf: ({ region }: SendgridCredentials) => hosts[region],
  headersOf: ({ api_key }: SendgridCredentials): Record<string, string> => ({ authorization: `Bearer ${api_key}` }),
} as const
