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
import type { SmtpCredentials } from './credentials.ts'
import type { SmtpEnvironment } from './environment.ts'
import { createSandboxSender } from './sandbox.ts'
import { transportOptions } from './transport-options.ts'

/** Servers limit the connections per client. */
const maxConnections = 5
const idleMs = 30_000

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
          connect(account.credentials, { timeoutMs, allowed: environment.SMTP_EGRESS_ALLOW, bodies }),
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
  timeoutMs: number
  allowed: AllowList
  bodies: WeakMap<AbortSignal, Readable>
}

function connect(credentials: SmtpCredentials, { bodies, ...settings }: PoolSettings) {
  const pool = createTransport({
    ...transportOptions(credentials, settings),
    pool: true,
    maxConnections,
    idleTimeout: idleMs,
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
