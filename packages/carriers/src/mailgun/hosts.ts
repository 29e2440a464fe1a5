import type { MailgunCredentials } from './credentials.ts'

const hosts = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' }

/** Where the API of an account is, and how it is called. */
export const apiOf = {
  standInPath: '/mailgun',
  baseUrlOf: ({ region }: MailgunCredentials) => hosts[region],
  headersOf: ({ api_key }: MailgunCredentials): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`api:${api_key}`).toString('base64')}`,
  }),
} as const
