import type { Socket } from 'node:net'
import type { AllowList } from '@notify/egress-guard'
import { connectToServer } from './connect-to-server.ts'
import type { SmtpCredentials } from './credentials.ts'

interface Settings {
  /** Limits each step up to the server's greeting, and each silence after it, in milliseconds. */
  timeoutMs: number
  allowed: AllowList
}

type GiveSocket = (error: Error | null, socket?: { connection: Socket } | false) => void

/** How nodemailer reaches the mail server of a tenant, to send and to check the account. */
export function transportOptions(credentials: SmtpCredentials, { timeoutMs, allowed }: Settings) {
  const { host, port, security, username, password } = credentials
  return {
    host,
    port: Number(port),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { minVersion: 'TLSv1.2' as const },
    ...(username === undefined ? {} : { auth: { user: username, pass: password! }, forceAuth: true }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    getSocket(_options: unknown, done: GiveSocket) {
      connectToServer(credentials, allowed, timeoutMs).then(
        (connection) => done(null, connection ? { connection } : false),
        (error: Error) => done(error),
      )
    },
    // Content is untrusted: it must not reference files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
