import { EmailAddress, oneLinePattern } from '@notify/contracts'
import { z } from 'zod'
import { SenderName } from '../sender-name.ts'

const hostName =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * How to reach an SMTP server. `tls`: TLS from the first byte (port 465). `starttls`: requires the upgrade (587).
 * `none`: no encryption and no password, for a relay on the same machine or network.
 */
export const SmtpCredentials = z
  .strictObject({
    host: z.string().regex(hostName, 'must be a host name or an IPv4 address, without scheme and port'),
    port: z
      .string()
      .regex(/^[1-9]\d{0,4}$/, 'must be a port from 1 to 65535')
      .refine((text) => Number(text) <= 65_535, 'must be a port from 1 to 65535'),
    security: z.enum(['tls', 'starttls', 'none']),
    username: z.string().min(1).max(255).regex(oneLinePattern, 'must be one line').optional(),
    password: z.string().min(1).max(1024).regex(oneLinePattern, 'must be one line').optional(),
    from: EmailAddress,
    from_name: SenderName.optional(),
  })
  .refine((c) => (c.username === undefined) === (c.password === undefined), {
    message: 'give username and password, or neither',
  })
  .refine((c) => c.security !== 'none' || c.password === undefined, {
    path: ['security'],
    message: 'must be tls or starttls when there is a password',
  })
export type SmtpCredentials = z.infer<typeof SmtpCredentials>
