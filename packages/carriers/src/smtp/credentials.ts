import { oneLinePattern } from '@notify/contracts'
import { z } from 'zod'
import { emailSender } from '../credential-fields.ts'

const hostName =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * How to reach an SMTP server. `tls`: TLS from the first byte (port 465). `starttls`: requires the upgrade (587).
 * `none`: no encryption and no password, for a relay on the same machine or network.
 */
export const SmtpCredentials = z
  .strictObject({
    host: z
      .string()
      .regex(hostName, 'must be a host name or an IPv4 address, without scheme and port')
      .meta({ title: 'Host', examples: ['mail.example.com'] }),
    port: z
      .string()
      .regex(/^[1-9]\d{0,4}$/, 'must be a port from 1 to 65535')
      .refine((text) => Number(text) <= 65_535, 'must be a port from 1 to 65535')
      .meta({ title: 'Port', examples: ['587'] }),
    security: z.enum(['starttls', 'tls', 'none']).meta({
      title: 'Encryption',
      description: 'tls: from the first byte (465). starttls: by upgrade (587). none: only without a password.',
    }),
    username: z
      .string()
      .min(1)
      .max(255)
      .regex(oneLinePattern, 'must be one line')
      .optional()
      .meta({ title: 'User name' }),
    password: z
      .string()
      .min(1)
      .max(1024)
      .regex(oneLinePattern, 'must be one line')
      .optional()
      .meta({ title: 'Password' }),
    ...emailSender(),
  })
  .refine((c) => (c.username === undefined) === (c.password === undefined), {
    message: 'give username and password, or neither',
  })
  .refine((c) => c.security !== 'none' || c.password === undefined, {
    path: ['security'],
    message: 'must be tls or starttls when there is a password',
  })
  .meta({ title: 'SMTP server' })
export type SmtpCredentials = z.infer<typeof SmtpCredentials>
