import type { Readable } from 'node:stream'
import type { AllowList } from '@notify/egress-guard'
import { withoutAddresses } from '@notify/privacy'
import { startDeadline } from '@notify/service-kit'
import { createTransport } from 'nodemailer'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createClientCache } from '../client-cache.ts'
import { mailOf } from '../compose-mime.ts'
import type { EmailMessage } from '../messages.ts'
import { addressesOf } from '../recipients-of.ts'
import type { SenderDefinition } from '../sender.ts'
import { accepted, noConnection, permanent, refusal } from '../verdict.ts'
import { checkAccount } from './check.ts'
import { judgeSmtpFault, refusesConnection, type SmtpFault } from './codes.ts'
import type { SmtpCredentials } from './credentials.ts'
import type { SmtpEnvironment } from './environment.ts'
import { lendConnections } from './lend-connections.ts'
import { createSandboxSender } from './sandbox.ts'
import { transportOptions } from './transport-options.ts'

/** Servers limit the connections per client. */
const maxConnections = 5
/** How long a send waits for one of them, before its time begins: a mail that is cut off may have been taken. */
const longestWaitMs = 250
const idleMs = 30_000
/** How long a server may take to reply to QUIT, beyond the timeout of a send. Sends have their own deadline. */
const quitMs = 60_000

/** Sends email over SMTP, with a connection pool per account. */
export const smtpSender: SenderDefinition<SmtpCredentials, EmailMessage, SmtpEnvironment> = {
  createSender(options) {
    const { timeoutMs, environment } = options
    const sandbox = createSandboxSender(options)
    /** The message stream of each send in progress, by its deadline signal. */
    const bodies = new WeakMap<AbortSignal, Readable>()
    const pools = createClientCache<Pool>(({ transport }) => transport.close())
    return {
      async send(account, message) {
        if (message.mode === 'test') return sandbox.send(account, message)
        const { transport, connections, taking } = pools.of(account, '', () =>
          connect(account.credentials, { timeoutMs, allowed: environment.SMTP_EGRESS_ALLOW, bodies }),
        )
        const deadline = new AbortController()
        const { signal } = deadline
        const hasBegun = () => bodies.get(signal)?.readableDidRead === true
        const mail = { ...mailOf(account.credentials, message), signal }
        const giveBack = await connections.borrow(message.isCode === true)
        if (!giveBack) return noConnection
        // Bounds the whole exchange.
        const clear = startDeadline(timeoutMs, () => deadline.abort(), hasBegun)
        try {
          const { rejectedErrors = [] } = await transport.sendMail(mail)
          const recipients = addressesOf(message)
          const refused = rejectedErrors.find(({ recipient }) => recipient === message.to)
          const answer = refused ? answerOf(refused, recipients, 'taken') : accepted(mail.messageId)
          const refusedCopies = rejectedErrors.filter((error) => error !== refused).map(copyRefusal(recipients))
          return { ...answer, ...(refusedCopies.length > 0 && { refusedCopies }) }
        } catch (error) {
          const { code, responseCode } = error as SmtpFault
          const isRefused = !taking.has(signal) && refusesConnection({ code, responseCode, bodyBegan: hasBegun() })
          // A server with others of our messages in hand may allow no further connection.
          if (isRefused && taking.size > 0) return noConnection
          return answerOf(error, addressesOf(message), hasBegun() ? 'begun' : 'none')
        } finally {
          clear()
          taking.delete(signal)
          giveBack()
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
  const transport = createTransport({
    ...transportOptions(credentials, settings),
    pool: true,
    maxConnections,
    idleTimeout: idleMs,
    socketTimeout: settings.timeoutMs + quitMs,
  })
  /** Sends whose message the server is taking. */
  const taking = new Set<AbortSignal>()
  // Keeps the message stream: only after it is read can the server have accepted the message.
  transport.use('stream', (mail, done) => {
    const { message } = mail
    const createReadStream = message.createReadStream.bind(message)
    message.createReadStream = (options) => {
      const body = createReadStream(options)
      if (mail.data.signal) {
        bodies.set(mail.data.signal, body)
        taking.add(mail.data.signal)
      }
      return body
    }
    done()
  })
  return { transport, taking, connections: lendConnections(maxConnections, longestWaitMs) }
}

interface Refusal {
  recipient?: string | undefined
  responseCode?: number | undefined
  response?: string | undefined
}

/** What a server says of a copy that it refuses while it takes the message for others. */
const copyRefusal =
  (recipients: readonly string[]) =>
  ({ recipient = '', responseCode, response }: Refusal) => ({
    to: recipient,
    reason: `smtp_${responseCode ?? 'refused'} ${withoutAddresses(response ?? '', recipients)}`.trim(),
  })

const takenForCopies = permanent('The server refused the recipient for now and took the copies')

/**
 * Classifies a failed send: permanent, retryable or unknown.
 * @param body `taken`: the server took the message for its copies alone, so a retry would send it to them again
 */
function answerOf(error: unknown, recipients: readonly string[], body: 'none' | 'begun' | 'taken'): CarrierAnswer {
  type Fault = Omit<SmtpFault, 'bodyBegan'> & { originalCode?: string }
  const { code, responseCode, response, originalCode } = error as Fault
  const judged = judgeSmtpFault({ code, responseCode, response, bodyBegan: body === 'begun' })
  const verdict = body === 'taken' && judged.outcome !== 'rejected_permanent' ? takenForCopies : judged
  const reply = responseCode === undefined ? undefined : `smtp_${responseCode}`
  const sentence = response ? withoutAddresses(response, recipients) : null
  return refusal(reply ?? originalCode ?? code ?? 'no_answer', verdict, sentence)
}
