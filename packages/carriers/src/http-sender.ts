import { withoutAddresses } from '@notify/privacy'
import type { ExchangeError } from '@notify/service-kit'
import { type AccountCheck, checkFailed, checkSilent } from './account-check.ts'
import type { CarrierAnswer } from './carrier-answer.ts'
import { createClientCache } from './client-cache.ts'
import { createHttpClient, type HttpAnswer, type HttpCall, type HttpClient } from './http-client.ts'
import type { Correlation, EmailMessage } from './messages.ts'
import type { Multipart } from './multipart.ts'
import { addressesOf } from './recipients-of.ts'
import { readRetryAfter } from './retry-after.ts'
import type { CarrierAccount, DomainIdentities, SenderDefinition, SenderOptions } from './sender.ts'
import { liveUrlOf, type StandInEnvironment } from './stand-in-url.ts'
import { accepted, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal, type Verdict } from './verdict.ts'
import { withoutNumbers } from './without-numbers.ts'

/** What a carrier says with a refusal. */
export interface Refusal {
  code: string
  verdict: Verdict
  /** The carrier's own text; recipients in it are masked. */
  sentence: string | undefined
}

interface Request {
  path: string
  body: object | URLSearchParams | Multipart
  /** Beside those that authenticate the call. */
  headers?: Record<string, string>
}

/** A carrier that takes each message by one HTTP request. */
export interface HttpCarrier<Credentials, Message> {
  /** Its path below the sandbox and other stand-ins. */
  standInPath: `/${string}`
  baseUrlOf(credentials: Credentials): string
  /**
   * The headers that authenticate a call.
   * @param account the account that sends; absent in a check
   */
  headersOf(
    credentials: Credentials,
    account?: Pick<CarrierAccount<unknown>, 'id' | 'revision'>,
  ): Record<string, string>
  requestOf(
    account: CarrierAccount<Credentials>,
    message: Message & Correlation,
    options: SenderOptions<StandInEnvironment>,
  ): Request
  /** The id of an accepted message, null if the carrier names none; undefined unless the answer is an acceptance. */
  idOf(answer: HttpAnswer): string | null | undefined
  refusalOf(answer: HttpAnswer): Refusal
  /** Whether a refusal is of the message's own sender (`from`), so that the account may send other messages. */
  isOfSender?(refusal: Refusal, message: Message): boolean
  /** Whether a successful status refuses the recipient anyway. */
  isRefusal?(answer: HttpAnswer): boolean
  /** The addresses, in lower case, that a successful status refuses; `refusalOf` says why. */
  refusedOf?(answer: HttpAnswer): readonly string[]
  /** How long to wait, where the carrier says it otherwise than by Retry-After. */
  retryAfterOf?(answer: HttpAnswer): string | undefined
  /** The call that checks an account without sending anything. */
  check: {
    pathOf(credentials: Credentials): string
    headersOf?(credentials: Credentials): Record<string, string>
    /** Undefined for a refusal. */
    read(answer: HttpAnswer, credentials: Credentials): AccountCheck | undefined
  }
}

/** The sending half of a carrier with an HTTP API: one request a message, one client an account. @param identities its domains */
export function defineHttpSender<Credentials, Message extends { to: string }>(
  carrier: HttpCarrier<Credentials, Message>,
  identities?: DomainIdentities<Credentials, StandInEnvironment>,
): SenderDefinition<Credentials, Message, StandInEnvironment> {
  return {
    createSender(options) {
      const clients = createClientCache<HttpClient>((client) => client.close())
      return {
        async send(account, message) {
          const { credentials } = account
          const baseUrl =
            message.mode === 'test'
              ? `${options.sandboxUrl}${carrier.standInPath}`
              : liveUrlOf(carrier, credentials, options.environment)
          let call: HttpCall
          try {
            const { path, body, headers: more } = carrier.requestOf(account, message, options)
            const { traceparent } = message
            const headers = { ...carrier.headersOf(credentials, account), ...more }
            call = { method: 'POST', url: baseUrl + path, headers, body, traceparent }
          } catch (error) {
            return notBegun(error)
          }
          const client = clients.of(account, baseUrl, () => createHttpClient(options))
          return client.call(call).then((answer) => answerOf(carrier, answer, message), explainSilence)
        },
        close: () => clients.close(),
      }
    },
    ...(identities && { identities }),
    check: (credentials, { timeoutMs, environment }) => check(carrier, credentials, { timeoutMs, environment }),
  }
}

type Reading<Message> = Pick<
  HttpCarrier<never, Message>,
  'idOf' | 'refusalOf' | 'isOfSender' | 'isRefusal' | 'refusedOf' | 'retryAfterOf'
>
type Addressed = Pick<EmailMessage, 'to' | 'cc' | 'bcc' | 'from'>

/** The answer for the recipient, with the copies that the carrier refused. */
function answerOf<Message extends Addressed>(
  carrier: Reading<Message>,
  answer: HttpAnswer,
  message: Message,
): CarrierAnswer {
  const recipients = addressesOf(message)
  const ofRecipient = judge(carrier, answer, message)
  const refused = carrier.refusedOf?.(answer) ?? []
  const copies = recipients.slice(1).filter((address) => refused.includes(address.toLowerCase()))
  if (copies.length === 0) return ofRecipient
  const { code, sentence = '' } = carrier.refusalOf(answer)
  const reason = `${code} ${masked(sentence, recipients)}`
  return { ...ofRecipient, refusedCopies: copies.map((to) => ({ to, reason })) }
}

/** Classifies an answer: accepted, permanent, retryable or unknown. */
function judge<Message extends Addressed>(
  carrier: Reading<Message>,
  answer: HttpAnswer,
  message: Message,
): CarrierAnswer {
  const id = carrier.idOf(answer)
  if (id !== undefined) return accepted(id)
  const retryAfterMs = readRetryAfter(answer.headers['retry-after'] ?? carrier.retryAfterOf?.(answer))
  // After an unreadable success the message may have been sent.
  if (answer.status < 300 && !carrier.isRefusal?.(answer)) return refusal(`http_${answer.status}`, didNotAnswer, null)
  const refused = carrier.refusalOf(answer)
  const { code, verdict, sentence } = refused
  const { text, providerDown, ...judged } = verdict
  const isOfSender = message.from !== undefined && carrier.isOfSender?.(refused, message)
  const ofAccount = providerDown && !isOfSender && { providerDown }
  const said = text ?? (sentence ? masked(sentence, addressesOf(message)) : `The carrier answered ${answer.status}`)
  return refusal(code, { ...judged, ...ofAccount }, `${code} ${said}`, retryAfterMs)
}

/** A carrier's text without the address or the numbers of people. */
function masked(sentence: string, recipients: readonly string[]): string {
  return recipients[0]?.includes('@') ? withoutAddresses(sentence, recipients) : withoutNumbers(sentence)
}

function explainSilence(error: unknown): CarrierAnswer {
  if (isNotWritable(error)) return notBegun(error)
  const { code = 'no_answer', hasLeft } = error as Partial<ExchangeError>
  return refusal(code, hasLeft === false ? couldNotBeReached : didNotAnswer, null)
}

async function check<Credentials>(
  carrier: HttpCarrier<Credentials, never>,
  credentials: Credentials,
  { timeoutMs, environment }: { timeoutMs: number; environment: StandInEnvironment },
): Promise<AccountCheck> {
  const client = createHttpClient({ timeoutMs, maxConnections: 1 })
  const url = liveUrlOf(carrier, credentials, environment) + carrier.check.pathOf(credentials)
  const headersOf = carrier.check.headersOf ?? carrier.headersOf
  try {
    const answer = await client.call({ method: 'GET', url, headers: headersOf(credentials) })
    const read = carrier.check.read(answer, credentials)
    if (read) return read
    const { code, verdict, sentence = `The carrier answered ${answer.status}` } = carrier.refusalOf(answer)
    return checkFailed(code, verdict.text ?? sentence)
  } catch (error) {
    return checkSilent(error)
  } finally {
    client.close()
  }
}
