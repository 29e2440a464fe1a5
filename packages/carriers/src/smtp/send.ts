import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { AllowList } from '@notify/egress-guard'
import { withoutAddresses } from '@notify/privacy'
import { createTransport } from 'nodemailer'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createClientCache } from '../client-cache.ts'
import type { Correlation, EmailMessage } from '../messages.ts'
import type { SenderDefinition } from '../sender.ts'
import { accepted, refusal } from '../verdict.ts'
import { checkAccount } from './check.ts'
import { judgeSmtpFault, type SmtpFault } from './codes.ts'
import { connectToServer } from './connect-to-server.ts'
import type { SmtpCredentials } from './credentials.ts'
import { createSandboxSender } from './sandbox.ts'

/** Servers limit the connections per client. */
const maxConnections = 5
const idleMs = 30_000

interface SmtpEnvironment {
  SMTP_EGRESS_ALLOW: AllowList
}

/** Sends email over SMTP, with a connection pool per account. */
export const smtpSender: SenderDefinition<SmtpCredentials, EmailMessage, SmtpEnvironment> = {
  createSender(options) {
    const { timeoutMs, environment } = options
    const sandbox = createSandboxSender(options)
    /** The message stream of each send in progress, by its deadline signal. */
    const bodies = new WeakMap<AbortSignal, Readable>()
    const pools = createClientCache<Pool>((pool) => pool.close())
    return {
      async send(account, message) {
        if (message.mode === 'test') return sandbox.send(account, message)
        const pool = pools.of(account, '', () =>
          connect(account.credentials, { timeout: timeoutMs, allowed: environment.SMTP_EGRESS_ALLOW, bodies }),
        )
        // Bounds the whole exchange, including the wait for a pooled connection.
        const signal = AbortSignal.timeout(timeoutMs)
        const mail = { ...mailOf(account.credentials, message), signal }
        try {
          await pool.sendMail(mail)
          return accepted(mail.messageId)
        } catch (error) {
          return answerOf(error, message.to, bodies.get(signal)?.readableDidRead === true)
        }
      },
      close() {
        sandbox.close()
        pools.close()
      },
    }
  },
  check: checkAccount,
}

type Pool = ReturnType<typeof connect>

interface PoolSettings {
  timeout: number
  allowed: AllowList
  bodies: WeakMap<AbortSignal, Readable>
}

function connect(credentials: SmtpCredentials, { timeout, allowed, bodies }: PoolSettings) {
  const { host, port, security, username, password } = credentials
  const pool = createTransport({
    pool: true,
    host,
    port: Number(port),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { minVersion: 'TLSv1.2' },
    ...(username === undefined ? {} : { auth: { user: username, pass: password! }, forceAuth: true }),
    maxConnections,
    idleTimeout: idleMs,
    dnsTimeout: timeout,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    getSocket(_options: unknown, done: (error: Error | null, socket?: { connection: Socket } | false) => void) {
      connectToServer(credentials, allowed, timeout).then(
        (connection) => done(null, connection ? { connection } : false),
        (error: Error) => done(error),
      )
    },
    // Content is untrusted: it must not reference files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Keeps the message stream: only after it is read can the server have accepted the message.
  pool.use('stream', (mail, done) => {
    const { message } = mail
    const createReadStream = message.createReadStream.bind(message)
    message.createReadStream = (options) => {
      const body = createReadStream(options)
      if (mail.data.signal) bodies.set(mail.data.signal, body)
      return body
    }
    done()
  })
  return pool
}

function mailOf(credentials: SmtpCredentials, message: EmailMessage & Correlation) {
  const { to, to_name, subject, text, html, notificationId, attemptId } = message
  const from = message.from ?? credentials.from
  const from_name = message.from_name ?? credentials.from_name
  return {
    from: { address: from, name: from_name ?? '' },
    to: { address: to, name: to_name ?? '' },
    envelope: { from, to: [to] },
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    messageId: `<${attemptId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { 'X-Notification-Id': notificationId },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Classifies a failed send: permanent, retryable or unknown. */
function answerOf(error: unknown, to: string, bodyBegan: boolean): CarrierAnswer {
  const { code, responseCode, response, originalCode } = error as Omit<SmtpFault, 'bodyBegan'> & {
    response?: string
    originalCode?: string
  }
  const verdict = judgeSmtpFault({ code, responseCode, bodyBegan })
  const reply = responseCode === undefined ? undefined : `smtp_${responseCode}`
  const sentence = response ? withoutAddresses(response, [to]) : null
  return refusal(reply ?? originalCode ?? code ?? 'no_answer', verdict, sentence)
}
