import { SmtpCredentials } from './credentials.ts'

export const smtp = { channel: 'email', credentials: SmtpCredentials, environment: {} } as const
