import type { ExchangeError } from '@notify/service-kit'
import twilio from 'twilio'
import type { Config } from '../config.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { Carrier, CarrierAnswer, SmsMessage } from './carrier.ts'
import { createClientCache } from './client-cache.ts'
import { describeCode, judgeTwilioError } from './twilio-codes.ts'
import { type CallScope, callScopes, TwilioTransport } from './twilio-transport.ts'
import { accepted, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal } from './verdict.ts'

type TwilioProvider = Extract<Provider, { kind: 'twilio' }>

interface Connection {
  client: twilio.Twilio
  transport: TwilioTransport
}

/** Sends SMS over Twilio's API; each provider has a client of its own. */
export function createTwilioCarrier(config: Config): Carrier<'twilio', SmsMessage> {
  const clients = createClientCache<Connection>(({ transport }) => transport.close())
  return {
    async send(provider, message) {
      const baseUrl = message.mode === 'test' ? `${config.CARRIER_SANDBOX_URL}/twilio` : config.TWILIO_API_URL
      const { client } = clients.of(provider, baseUrl, () => connect(provider, baseUrl, config))
      const scope: CallScope = { traceparent: message.traceparent, retryAfterMs: null }
      try {
        const { sid } = await callScopes.run(scope, () =>
          client.messages.create(parametersOf(provider, message, config)),
        )
        return accepted(sid)
      } catch (error) {
        return answerOf(error, scope)
      }
    },
    close: () => clients.close(),
  }
}

function connect({ credentials }: TwilioProvider, baseUrl: string, config: Config): Connection {
  const { CARRIER_TIMEOUT, CARRIER_CONNECTIONS, SEND_CONCURRENCY, BULK_CONCURRENCY } = config
  const { account_sid, auth_token } = credentials
  const transport = new TwilioTransport({
    timeoutMs: CARRIER_TIMEOUT,
    maxConnections: CARRIER_CONNECTIONS ?? 2 * SEND_CONCURRENCY + BULK_CONCURRENCY,
  })
  const client = twilio(account_sid, auth_token, { httpClient: transport })
  client.api.baseUrl = baseUrl
  return { client, transport }
}

function parametersOf(
  { id, credentials }: TwilioProvider,
  { to, text, notificationId, attemptId, traceparent }: SmsMessage,
  { PUBLIC_URL }: Config,
) {
  const correlation = new URLSearchParams({
    notification_id: notificationId,
    attempt_id: attemptId,
    provider_id: id,
    ...(traceparent ? { traceparent } : {}),
  })
  return {
    to,
    body: text,
    statusCallback: `${PUBLIC_URL}/api/v1/callbacks/smsprovider/sms?${correlation}`,
    ...(credentials.from ? { from: credentials.from } : { messagingServiceSid: credentials.messaging_service_sid! }),
  }
}

/** More of it is not looked at; what is kept is shorter still. */
const longestSentence = 1000

/** Some of the carrier's sentences name the recipient ("The number +1555… is unverified"); ours are stored and published. */
function withoutNumbers(sentence: string): string {
  return sentence.slice(0, longestSentence).replace(/\+?\d[\d\s().-]{5,30}\d/g, '[number]')
}

/** The carrier's refusal, or why there is none. */
type Failure = Partial<Omit<ExchangeError, 'code'>> & { status?: number; code?: string | number }

/** Sorts a failed call: refused for good, refused for now, or nobody knows. */
function answerOf(error: unknown, { retryAfterMs, begun }: CallScope): CarrierAnswer {
  if (!begun || isNotWritable(error)) return notBegun(error)
  const { status, code, message, hasLeft } = error as Failure
  if (typeof status === 'number') {
    const carrierCode = code === undefined ? `http_${status}` : String(code)
    const sentence = message ? withoutNumbers(message) : `The carrier answered ${status}`
    const { text: _, ...verdict } = judgeTwilioError(status, carrierCode)
    return refusal(carrierCode, verdict, describeCode(carrierCode, sentence), retryAfterMs)
  }
  const reason = String(code ?? 'no_answer')
  return refusal(reason, hasLeft === false ? couldNotBeReached : didNotAnswer, null, retryAfterMs)
}
